import type { Config } from '../config/config.ts'
import { exampleOf } from '../http/example.ts'
import { Components } from '../http/openapi-components.ts'
import { Failure } from '../http/openapi-failure.ts'
import { limitHeaderComponents } from '../http/openapi-headers.ts'
import { type DocumentedLimit, documentedLimits, limitHeaders, limitResponse } from '../http/openapi-limits.ts'
import { tooManyRequests } from '../http/refusal.ts'
import { isApiPath } from '../http/request.ts'
import { oneOf, Type } from '../http/schema.ts'
import { CONTENT_ROUTES, type ContentRoute, ERROR_CODES, type ErrorCode } from './content-routes.ts'

const ErrorSchema = Type.Object(
  {
    error: Type.Object(
      {
        code: oneOf(ERROR_CODES, { description: 'Stable, for programs' }),
        message: Type.String({ examples: ['There is nothing at this address'] }),
        hint: Type.Optional(Type.String({ examples: ['All pages are listed in /sitemap.xml.'] })),
      },
      { title: 'ErrorDetail' },
    ),
  },
  { title: 'Error' },
)

/** The OpenAPI document of the content API, from the schemas of its responses. */
export function describeContent({ baseUrl, rateLimits }: Pick<Config, 'baseUrl' | 'rateLimits'>) {
  const components = new Components()
  components.schema(ErrorSchema)
  if (rateLimits) components.schema(Failure)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Content API',
      version: '1.0.0',
      description: 'What the site shows the public: read-only, without credentials. Every page is also markdown.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: [{ name: 'Content', description: 'What the site shows the public' }],
    security: [],
    paths: Object.fromEntries(
      CONTENT_ROUTES.map((route) => [
        route.path,
        { get: describe(route, documentedLimits(rateLimits, route.isCounted ? ['api'] : []), components) },
      ]),
    ),
    components: { schemas: components.schemas, ...(rateLimits && { headers: limitHeaderComponents }) },
  }
}

function describe(
  { path, operationId, summary, type, schema, parameters, errors = {} }: ContentRoute,
  limits: DocumentedLimit[],
  components: Components,
) {
  return {
    operationId,
    summary,
    tags: ['Content'],
    security: [],
    ...(parameters && { parameters }),
    responses: {
      200: {
        description: summary,
        headers: limitHeaders(limits),
        content: { [type]: { schema: components.schema(schema), example: exampleOf(schema) } },
      },
      ...(!parameters && {
        304: { description: 'Not modified since the client got it', headers: limitHeaders(limits) },
      }),
      ...Object.fromEntries(
        Object.entries(errors).map(([status, { description, code, message }]) => [
          status,
          { description, headers: limitHeaders(limits), ...errorContent(code, message) },
        ]),
      ),
      ...(limits.length > 0 && {
        // The errors of paths outside of the API have the schema of this document.
        429: { ...limitResponse(limits), ...(!isApiPath(path) && errorContent('refused', tooManyRequests.message)) },
      }),
    },
  }
}

function errorContent(code: ErrorCode, message: string) {
  return {
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: { error: { code, message } },
      },
    },
    'x-error-codes': [code],
  }
}
