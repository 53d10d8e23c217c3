import type { Config } from '../config/config.ts'
import { exampleOf } from './example.ts'
import { successSchema } from './mount.ts'
import { Components, componentName } from './openapi-components.ts'
import { errorCodes, Failure, failureResponse } from './openapi-failure.ts'
import { headerComponents, headersOf } from './openapi-headers.ts'
import { type DocumentedLimit, documentedLimits, limitHeaders, limitResponse } from './openapi-limits.ts'
import type { Operation, OperationRoute } from './operation.ts'
import {
  bodyTooLarge,
  notAuthenticated,
  notFound,
  type RefusalKind,
  tooManyRequests,
  unavailable,
  validationFailed,
} from './refusal.ts'
import { type TObject, type TSchema, Type } from './schema.ts'

/**
 * The OpenAPI document of a list of routes. It contains the same schemas that validate the requests.
 */
export function describeApi(
  routes: OperationRoute[],
  info: { title: string; version: string; description: string },
  { baseUrl, rateLimits }: Pick<Config, 'baseUrl' | 'rateLimits'>,
) {
  const components = new Components()
  components.schema(Failure)
  components.schema(errorCodes())
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [method, path, operation] of routes) {
    const limits = documentedLimits(rateLimits, ['api', ...(operation.limits ?? [])])
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: describeOperation(method, path, operation, limits, components),
    }
  }
  const { schemas, responses } = components
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: baseUrl }],
    tags: Object.entries(TAGS)
      .filter(([name]) => routes.some(([, path]) => tagOf(path) === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas, responses, headers: headerComponents, securitySchemes },
  }
}

function describeOperation(
  method: string,
  path: string,
  operation: Operation,
  limits: DocumentedLimit[],
  components: Components,
) {
  const signedIn = operation.access !== 'public'
  // The server reads the body of every request but GET, also for an operation that takes none.
  const readsBody = method !== 'GET'
  const refusals = [
    ...(readsBody || operation.query || operation.headers ? [validationFailed] : []),
    ...(operation.access === 'signed-in' ? [notAuthenticated] : []),
    ...(operation.access === 'owner' ? [notFound] : []),
    ...(operation.refusals ?? []),
    ...(readsBody && !operation.refusals?.includes(bodyTooLarge) ? [bodyTooLarge] : []),
    unavailable,
    ...(limits.length > 0 ? [tooManyRequests] : []),
  ]
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    tags: [tagOf(path)],
    security: signedIn ? [{ accessToken: [], sessionId: [] }] : [],
    parameters: [
      ...parametersOf(operation.query, 'query', components),
      ...parametersOf(operation.headers, 'header', components),
    ],
    ...(operation.body && { requestBody: requestBodyOf(operation, operation.body, components) }),
    responses: {
      ...((operation.data || !operation.redirects) && {
        [operation.status ?? 200]: {
          description: 'Success',
          headers: { ...headersOf('X-Request-Id'), ...limitHeaders(limits) },
          content: successContent(operation, components),
          ...(operation.links && { links: operation.links }),
        },
      }),
      ...(operation.redirects && { 302: components.response('Redirection', redirection(limits)) }),
      ...refusalResponses(refusals, limits, components),
    },
  }
}

/** The envelope of the operation. Operations without data share one schema. */
function successContent(operation: Operation, components: Components) {
  const { id, data, message = '' } = operation
  const name = componentName(id)
  const envelope = data
    ? named(successSchema({ message, data: named(data, `${name}Data`) }), `${name}Response`)
    : named(successSchema({ message: 'Logged out successfully' }), 'Success')
  return { 'application/json': { schema: components.schema(envelope), ...exampleIn(successSchema(operation)) } }
}

function requestBodyOf(operation: Operation, body: TSchema, components: Components) {
  const name = `${componentName(operation.id)}Request`
  return {
    required: objectParts(body).required.length > 0,
    content: operation.bodyParsers
      ? multipart(body, name, components)
      : { 'application/json': { schema: components.schema(named(body, name)), ...exampleIn(body) } },
  }
}

/** The fields of a schema, none if it is not that of an object. */
function objectParts(schema: TSchema | undefined): { properties: Record<string, TSchema>; required: string[] } {
  const { properties = {}, required = [] } = (schema ?? {}) as Partial<TObject>
  return { properties, required }
}

/** The schema with a title, its own if it has one. */
function named<T extends TSchema>(schema: T, title: string): T {
  return { title, ...schema }
}

function parametersOf(schema: TSchema | undefined, place: 'query' | 'header', components: Components) {
  const { properties, required } = objectParts(schema)
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name) && !('default' in property),
    schema: components.schema(property),
    ...exampleIn(property),
  }))
}

/** The responses by status. That of a single refusal is a component with the name of its code. */
function refusalResponses(refusals: RefusalKind[], limits: DocumentedLimit[], components: Components) {
  return Object.fromEntries(
    [...Map.groupBy(refusals, ({ status }) => status)].map(([status, kinds]) => {
      const [kind] = kinds
      const isLimit = kind === tooManyRequests
      const response = isLimit ? limitResponse(limits) : refusalResponse(kinds, limits)
      // An operation with limits of its own describes them in its own 429.
      const isShared = kind && kinds.length === 1 && !(isLimit && limits.length > 1)
      return [status, isShared ? components.response(componentName(kind.code), response) : response]
    }),
  )
}

function refusalResponse(kinds: RefusalKind[], limits: DocumentedLimit[]) {
  return {
    description: kinds.map(({ message }) => message).join(', or: '),
    headers: {
      ...headersOf('X-Request-Id'),
      ...limitHeaders(limits),
      // RFC 9110: 401 has WWW-Authenticate (section 11.6.1), and 503 may have Retry-After (section 10.2.3).
      ...(kinds.includes(notAuthenticated) && headersOf('WWW-Authenticate')),
      ...(kinds.includes(unavailable) && headersOf('Retry-After')),
    },
    ...failureResponse(kinds),
  }
}

function exampleIn(schema: TSchema) {
  const example = exampleOf(schema)
  return example === undefined ? {} : { example }
}

/** JSON Schema has no type for bytes. The media types that a file may have are in the encoding object. */
function multipart(schema: TSchema, name: string, components: Components) {
  const { properties } = objectParts(schema)
  const files = Object.entries(properties).filter(([, field]) => 'x-file' in field)
  const encoding = files.map(([name, field]) => [name, { contentType: (field as Record<string, unknown>)['x-file'] }])
  const bytes = files.map(([name, field]) => [name, { ...BYTES, ...field }])
  const schemaWithFiles = Type.Object({ ...properties, ...Object.fromEntries(bytes) }, { title: name })
  return {
    'multipart/form-data': {
      schema: components.schema(schemaWithFiles),
      encoding: Object.fromEntries(encoding),
      ...exampleIn(schemaWithFiles),
    },
  }
}

const BYTES = { type: 'string', format: 'binary', examples: ['The bytes of a picture'] }

const TAGS = {
  Account: 'Registration, passwords, profile and deletion',
  Sessions: 'Devices that are signed in, and their tokens',
  'Sign-in providers': 'Signing in through a code host or an identity provider',
  People: 'The accounts of the site, for its owners',
  Registration: 'Who may create an account, and invitations, for the owners of the site',
  Site: 'Mails, content and health of the site, for its owners',
  Webhooks: 'Calls of other services when something happens to an account, for the owners of the site',
}

function tagOf(path: string): keyof typeof TAGS {
  if (/^\/api\/owner\/(registration|invitations)/.test(path)) return 'Registration'
  if (path.startsWith('/api/owner/webhooks')) return 'Webhooks'
  if (/^\/api\/owner\/(mails|content|health)/.test(path)) return 'Site'
  if (path.startsWith('/api/owner/')) return 'People'
  if (/\/(oauth|linked-accounts)/.test(path)) return 'Sign-in providers'
  return /\/(sessions|auth)/.test(path) ? 'Sessions' : 'Account'
}

function redirection(limits: DocumentedLimit[]) {
  return {
    description: 'The browser is sent on',
    headers: { ...headersOf('X-Request-Id', 'Location'), ...limitHeaders(limits) },
  }
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
