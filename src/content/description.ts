import type { Config } from '../config/config.ts'
import { exampleOf } from '../http/example.ts'
import { Components } from '../http/openapi-components.ts'
import { Failure } from '../http/openapi-failure.ts'
import { limitHeaderComponents } from '../http/openapi-headers.ts'
import { type AnnouncedLimit, announcedLimits, limitHeaders, limitResponse } from '../http/openapi-limits.ts'
import { oneOf, type TSchema, Type } from '../http/schema.ts'

const CalendarSchema = Type.Object(
  {
    total: Type.Integer({ minimum: 0, description: 'Contributions in the past 12 months', examples: [412] }),
    data: Type.Array(
      Type.Object(
        {
          date: Type.String({ format: 'date', examples: ['2026-11-16'] }),
          count: Type.Integer({ minimum: 0, examples: [3] }),
          level: Type.Integer({ minimum: 0, maximum: 4, description: 'How many, in five steps', examples: [2] }),
        },
        { title: 'CalendarDay' },
      ),
      { description: 'A day each, oldest first' },
    ),
  },
  { title: 'Calendar' },
)

/** The codes of all errors outside the account API. */
const ERROR_CODES = [
  'not_found',
  'misconfigured',
  'upstream_error',
  'method_not_allowed',
  'refused',
  'server_error',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

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

interface ContentRoute {
  path: string
  operationId: string
  summary: string
  type: string
  schema: TSchema
  /** By status code. */
  errors?: Record<number, { description: string; code: ErrorCode; message: string }>
  /** Whether the API's rate limit applies. */
  isCounted?: true
}

const text = (example: string) => Type.String({ examples: [example] })

const ROUTES: ContentRoute[] = [
  {
    path: '/api/github-contributions',
    operationId: 'getContributions',
    summary: 'The contribution calendar of the past 12 months',
    type: 'application/json',
    schema: CalendarSchema,
    errors: {
      500: {
        description: 'The site is not set up for it',
        code: 'misconfigured',
        message: 'The contribution calendar is not configured',
      },
      502: {
        description: 'The code host does not respond',
        code: 'upstream_error',
        message: 'The code host did not give the contributions',
      },
    },
    isCounted: true,
  },
  {
    path: '/openapi.json',
    operationId: 'getDescription',
    summary: 'This description',
    type: 'application/json',
    schema: Type.Object(
      {},
      {
        additionalProperties: true,
        examples: [{ openapi: '3.1.0', info: { title: 'Content API', version: '1.0.0' }, paths: {} }],
      },
    ),
  },
  {
    path: '/feed.xml',
    operationId: 'getFeed',
    summary: 'The blog as an RSS 2.0 feed',
    type: 'application/rss+xml',
    schema: text('<rss version="2.0"><channel><title>Ada Lovelace</title></channel></rss>'),
  },
  {
    path: '/feed.json',
    operationId: 'getJsonFeed',
    summary: 'The blog as a JSON feed, version 1.1',
    type: 'application/feed+json',
    schema: Type.Object(
      {},
      {
        additionalProperties: true,
        examples: [{ version: 'https://jsonfeed.org/version/1.1', title: 'Ada Lovelace', items: [] }],
      },
    ),
  },
  {
    path: '/sitemap.xml',
    operationId: 'getSitemap',
    summary: 'All public addresses',
    type: 'application/xml',
    schema: text('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>'),
  },
  {
    path: '/llms.txt',
    operationId: 'getGuidance',
    summary: 'Guidance for assistants and agents',
    type: 'text/plain',
    schema: text('# Ada Lovelace'),
  },
  {
    path: '/llms-full.txt',
    operationId: 'getEverything',
    summary: 'The text of all pages and posts at once',
    type: 'text/plain',
    schema: text('# Ada Lovelace'),
  },
  {
    path: '/contributions.svg',
    operationId: 'getContributionGraph',
    summary: 'The contribution calendar as a picture',
    type: 'image/svg+xml',
    schema: text('<svg xmlns="http://www.w3.org/2000/svg"></svg>'),
    errors: {
      404: {
        description: 'There is no calendar to draw',
        code: 'not_found',
        message: 'There is nothing at this address',
      },
    },
  },
]

const PATHS = new Set(ROUTES.map(({ path }) => path))

/** Whether the description has this path, so that its errors are JSON. */
export function isDescribed(path: string): boolean {
  return PATHS.has(path)
}

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
      ROUTES.map((route) => [
        route.path,
        { get: describe(route, announcedLimits(rateLimits, route.isCounted ? ['api'] : []), components) },
      ]),
    ),
    components: { schemas: components.schemas, ...(rateLimits && { headers: limitHeaderComponents }) },
  }
}

function describe(
  { operationId, summary, type, schema, errors = {} }: ContentRoute,
  limits: AnnouncedLimit[],
  components: Components,
) {
  return {
    operationId,
    summary,
    tags: ['Content'],
    security: [],
    responses: {
      200: {
        description: summary,
        headers: limitHeaders(limits),
        content: { [type]: { schema: components.schema(schema), example: exampleOf(schema) } },
      },
      304: { description: 'Not modified since the client got it' },
      ...Object.fromEntries(
        Object.entries(errors).map(([status, { description, code, message }]) => [
          status,
          {
            description,
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Error' },
                example: { error: { code, message } },
              },
            },
          },
        ]),
      ),
      ...(limits.length > 0 && { 429: limitResponse(limits) }),
    },
  }
}
