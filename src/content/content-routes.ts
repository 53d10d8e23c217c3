import { type TSchema, Type } from '../http/schema.ts'
import { MAX_QUERY_CHARACTERS } from './search/find-pages.ts'

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

const SearchSchema = Type.Object(
  {
    query: Type.String({ examples: ['log in'] }),
    total: Type.Integer({ minimum: 0, description: 'How many pages match', examples: [1] }),
    results: Type.Array(
      Type.Object(
        {
          title: Type.String({ examples: ['Accounts without renting them'] }),
          heading: Type.String({ description: 'The part of the page that matches best', examples: ['Log in'] }),
          url: Type.String({ format: 'uri', examples: ['https://example.com/blog/accounts#log-in'] }),
          label: Type.String({ description: 'Its section, or the date of a post', examples: ['2 November 2026'] }),
          excerpt: Type.String({ description: 'Plain text', examples: ['Log in with a password or a passkey.'] }),
        },
        { title: 'SearchResult' },
      ),
      { description: 'The best 20' },
    ),
  },
  { title: 'SearchResults' },
)

/** The codes of all errors outside the account API. */
export const ERROR_CODES = [
  'not_found',
  'misconfigured',
  'upstream_error',
  'method_not_allowed',
  'refused',
  'server_error',
  'unavailable',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

export interface ContentRoute {
  path: string
  operationId: string
  summary: string
  type: string
  schema: TSchema
  /** By status code. */
  errors?: Record<number, { description: string; code: ErrorCode; message: string }>
  /** Whether the API's rate limit applies. */
  isCounted?: true
  /** The parameters of the query. A response that depends on them has no ETag. */
  parameters?: { name: string; in: 'query'; required: boolean; schema: TSchema; example: string }[]
}

const text = (example: string) => Type.String({ examples: [example] })

export const CONTENT_ROUTES: ContentRoute[] = [
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
    path: '/search.json',
    operationId: 'search',
    summary: 'The pages and posts that match a query, best first',
    type: 'application/json',
    schema: SearchSchema,
    parameters: [
      {
        name: 'q',
        in: 'query',
        required: false,
        schema: Type.String({
          maxLength: MAX_QUERY_CHARACTERS,
          description: 'The words to search for. The last one may be incomplete',
        }),
        example: 'log in',
      },
    ],
    errors: {
      400: {
        description: 'The query is too long',
        code: 'refused',
        message: `A search may have ${MAX_QUERY_CHARACTERS} characters at most`,
      },
      404: {
        description: 'The site has no search',
        code: 'not_found',
        message: 'There is nothing at this address',
      },
      503: {
        description: 'The search is being prepared, such as after a start. `Retry-After` has the seconds to wait',
        code: 'unavailable',
        message: 'The search is being prepared',
      },
    },
    isCounted: true,
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
    path: '/.well-known/api-catalog',
    operationId: 'getApiCatalog',
    summary: 'The APIs of the site, as a linkset (RFC 9727)',
    type: 'application/linkset+json',
    schema: Type.Object(
      {},
      {
        additionalProperties: true,
        examples: [{ linkset: [{ anchor: 'https://example.com/api', 'service-desc': [] }] }],
      },
    ),
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

const PATHS = new Set(CONTENT_ROUTES.map(({ path }) => path))

/** Whether the description has this path, so that its errors are JSON. */
export function isDescribed(path: string): boolean {
  return PATHS.has(path)
}
