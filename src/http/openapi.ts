import { successSchema } from './mount.ts'
import type { Operation, OperationRoute } from './operation.ts'
import { notAuthenticated, type RefusalKind, tooManyRequests, validationFailed } from './refusal.ts'
import type { TObject, TSchema } from './schema.ts'

/** The OpenAPI document of a list of routes: the same schemas that check the requests, so it cannot tell another story. */
export function describeApi(
  routes: OperationRoute[],
  info: { title: string; version: string; description: string },
  server: string,
) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [method, path, operation] of routes) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(method, path, operation) }
  }
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: server }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: { Failure }, securitySchemes },
  }
}

function describeOperation(method: string, path: string, operation: Operation) {
  const signedIn = operation.access === 'signed-in'
  const refusals = [
    ...(operation.body || operation.query ? [validationFailed] : []),
    ...(signedIn ? [notAuthenticated] : []),
    ...(operation.refusals ?? []),
    tooManyRequests,
  ]
  return {
    operationId: operationId(method, path),
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    tags: [tagOf(path)],
    security: signedIn ? [{ accessToken: [], sessionId: [] }] : [],
    parameters: [...parametersOf(operation.query, 'query'), ...parametersOf(operation.headers, 'header')],
    ...(operation.body && {
      requestBody: {
        required: ((operation.body as unknown as TObject).required?.length ?? 0) > 0,
        content: operation.forms ? multipart(operation.body) : json(operation.body),
      },
    }),
    responses: {
      ...((operation.data || !operation.redirects) && {
        [operation.status ?? 200]: { description: 'Success', content: json(successSchema(operation)) },
      }),
      ...(operation.redirects && { 302: { description: 'The browser is sent on' } }),
      ...refusalResponses(refusals),
    },
  }
}

function parametersOf(schema: TSchema | undefined, place: 'query' | 'header') {
  const { properties = {}, required = [] } = (schema ?? {}) as unknown as Partial<TObject>
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: (required as string[]).includes(name) && !('default' in property),
    schema: property,
  }))
}

function refusalResponses(refusals: RefusalKind[]) {
  return Object.fromEntries(
    [...Map.groupBy(refusals, ({ status }) => status)].map(([status, kinds]) => [
      status,
      {
        description: kinds.map(({ message }) => message).join(', or: '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
      },
    ]),
  )
}

function json(schema: TSchema) {
  return { 'application/json': { schema } }
}

/** Files have no schema; what they may be is said beside it. */
function multipart(schema: TSchema) {
  const files = Object.entries((schema as unknown as TObject).properties).filter(([, field]) => 'x-file' in field)
  const encoding = files.map(([name, field]) => [name, { contentType: (field as Record<string, unknown>)['x-file'] }])
  return { 'multipart/form-data': { schema, encoding: Object.fromEntries(encoding) } }
}

/** POST /api/change-username is postChangeUsername. */
function operationId(method: string, path: string): string {
  const words = path.replace('/api/', '').split(/[/-]/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

const TAGS = {
  Account: 'Registration, passwords, profile and deletion',
  Sessions: 'Devices that are signed in, and their tokens',
  'Sign-in providers': 'Signing in through a code host or an identity provider',
}

function tagOf(path: string): keyof typeof TAGS {
  if (/\/(oauth|linked-accounts)/.test(path)) return 'Sign-in providers'
  return /\/(sessions|auth)/.test(path) ? 'Sessions' : 'Account'
}

const Failure = {
  type: 'object',
  required: ['success', 'message', 'timestamp', 'requestId'],
  properties: {
    success: { type: 'boolean', const: false },
    message: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
    timestamp: { type: 'string', format: 'date-time' },
    requestId: { type: 'string', format: 'uuid' },
  },
}

const securitySchemes = {
  accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  sessionId: { type: 'apiKey', in: 'header', name: 'X-Session-Id' },
}
