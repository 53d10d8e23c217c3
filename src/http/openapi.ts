import type { Config } from '../config/config.ts'
import { exampleOf } from './example.ts'
import { labelOf } from './field-errors.ts'
import { successSchema } from './mount.ts'
import { exampleOfFailure, Failure, failureOf, ofEveryResponse } from './openapi-failure.ts'
import { type AnnouncedLimit, announcedLimits, limitHeaders, limitResponse } from './openapi-limits.ts'
import type { Operation, OperationRoute } from './operation.ts'
import { bodyTooLarge, notAuthenticated, type RefusalKind, unavailable, validationFailed } from './refusal.ts'
import type { TObject, TSchema } from './schema.ts'

/**
 * The OpenAPI document of a list of routes. It contains the schemas that validate the requests, so it cannot diverge.
 */
export function describeApi(
  routes: OperationRoute[],
  info: { title: string; version: string; description: string },
  { baseUrl, rateLimits }: Pick<Config, 'baseUrl' | 'rateLimits'>,
) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [method, path, operation] of routes) {
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: describeOperation(
        method,
        path,
        operation,
        announcedLimits(rateLimits, ['api', ...(operation.limits ?? [])]),
      ),
    }
  }
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: baseUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: { Failure }, securitySchemes },
  }
}

function describeOperation(method: string, path: string, operation: Operation, limits: AnnouncedLimit[]) {
  const signedIn = operation.access === 'signed-in'
  const refusals = [
    ...(operation.body || operation.query || operation.headers ? [validationFailed] : []),
    ...(signedIn ? [notAuthenticated] : []),
    ...(operation.refusals ?? []),
    ...(operation.body && !operation.refusals?.includes(bodyTooLarge) ? [bodyTooLarge] : []),
    unavailable,
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
        content: operation.bodyParsers ? multipart(operation.body) : withExample(operation.body),
      },
    }),
    responses: {
      ...((operation.data || !operation.redirects) && {
        [operation.status ?? 200]: {
          description: 'Success',
          headers: { ...ofEveryResponse, ...limitHeaders(limits) },
          content: withExample(successSchema(operation)),
        },
      }),
      ...(operation.redirects && { 302: redirection }),
      ...refusalResponses(refusals, operation),
      ...limitResponse(limits),
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
    ...exampleIn(property),
  }))
}

function refusalResponses(refusals: RefusalKind[], operation: Operation) {
  return Object.fromEntries(
    [...Map.groupBy(refusals, ({ status }) => status)].map(([status, kinds]) => [
      status,
      {
        description: kinds.map(({ message }) => message).join(', or: '),
        headers: { ...ofEveryResponse, ...headersOf(status, operation) },
        content: {
          'application/json': {
            schema: failureOf(kinds),
            examples: Object.fromEntries(
              kinds.map((kind) => [kind.code, { value: exampleOfRefusal(kind, operation) }]),
            ),
          },
        },
      },
    ]),
  )
}

/** RFC 9110: 401 has WWW-Authenticate (section 11.6.1), and 503 may have Retry-After (section 10.2.3). */
function headersOf(status: number, { access }: Operation) {
  if (status === 401 && access === 'signed-in') return { 'WWW-Authenticate': challenge }
  return status === unavailable.status ? { 'Retry-After': secondsToWait } : {}
}

function exampleOfRefusal(kind: RefusalKind, { body, query, headers }: Operation) {
  if (kind !== validationFailed) return exampleOfFailure(kind)
  const [field = 'body'] = Object.keys(((body ?? query ?? headers) as unknown as TObject).properties)
  return {
    ...exampleOfFailure(kind),
    errors: [{ field, code: 'required', message: `${labelOf([field])} is required` }],
  }
}

function withExample(schema: TSchema) {
  return { 'application/json': { schema, ...exampleIn(schema) } }
}

function exampleIn(schema: TSchema) {
  const example = exampleOf(schema)
  return example === undefined ? {} : { example }
}

/** JSON Schema has no type for bytes. The media types that a file may have are in the encoding object. */
function multipart(schema: TSchema) {
  const { properties } = schema as unknown as TObject
  const files = Object.entries(properties).filter(([, field]) => 'x-file' in field)
  const encoding = files.map(([name, field]) => [name, { contentType: (field as Record<string, unknown>)['x-file'] }])
  const bytes = files.map(([name, field]) => [name, { type: 'string', format: 'binary', ...field }])
  return {
    'multipart/form-data': {
      schema: { ...schema, properties: { ...properties, ...Object.fromEntries(bytes) } },
      encoding: Object.fromEntries(encoding),
      example: Object.fromEntries(files.map(([name]) => [name, 'The bytes of a picture'])),
    },
  }
}

/** The operationId, such as postChangeUsername for POST /api/change-username. */
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

const challenge = { description: 'Bearer', required: true, schema: { type: 'string' }, example: 'Bearer' }
const secondsToWait = { description: 'In seconds', schema: { type: 'integer', minimum: 1 }, example: 1 }
const redirection = {
  description: 'The browser is sent on',
  headers: {
    ...ofEveryResponse,
    Location: { required: true, schema: { type: 'string' }, example: '/account' },
  },
}

const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The accessToken of a log-in, a verification or a refresh, for 15 minutes.',
  },
  sessionId: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Session-Id',
    description: 'The sessionId that came with the access token, a UUID. Both headers are needed.',
  },
}
