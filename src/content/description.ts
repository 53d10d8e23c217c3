import { type TSchema, Type } from '../http/schema.ts'

export const CalendarSchema = Type.Object({
  total: Type.Integer({ minimum: 0, description: 'Contributions in the past 12 months' }),
  data: Type.Array(
    Type.Object({
      date: Type.String({ format: 'date' }),
      count: Type.Integer({ minimum: 0 }),
      level: Type.Integer({ minimum: 0, maximum: 4, description: 'How many, in five steps' }),
    }),
    { description: 'A day each, oldest first' },
  ),
})

export const ErrorSchema = Type.Object({
  error: Type.Object({
    code: Type.String({ description: 'Stable, for programs' }),
    message: Type.String(),
    hint: Type.Optional(Type.String()),
  }),
})

interface ContentRoute {
  path: string
  operationId: string
  summary: string
  type: string
  schema: TSchema
  errors?: Record<number, string>
}

const Text = Type.String()

const ROUTES: ContentRoute[] = [
  {
    path: '/api/github-contributions',
    operationId: 'getContributions',
    summary: 'The contribution calendar of the past 12 months',
    type: 'application/json',
    schema: CalendarSchema,
    errors: { 500: 'The site is not set up for it', 502: 'The code host does not answer' },
  },
  {
    path: '/openapi.json',
    operationId: 'getDescription',
    summary: 'This description',
    type: 'application/json',
    schema: Type.Object({}),
  },
  {
    path: '/feed.xml',
    operationId: 'getFeed',
    summary: 'The blog as an RSS 2.0 feed',
    type: 'application/rss+xml',
    schema: Text,
  },
  {
    path: '/feed.json',
    operationId: 'getJsonFeed',
    summary: 'The blog as a JSON feed, version 1.1',
    type: 'application/feed+json',
    schema: Type.Object({}),
  },
  {
    path: '/sitemap.xml',
    operationId: 'getSitemap',
    summary: 'All public addresses',
    type: 'application/xml',
    schema: Text,
  },
  {
    path: '/llms.txt',
    operationId: 'getGuidance',
    summary: 'Guidance for assistants and agents',
    type: 'text/plain',
    schema: Text,
  },
  {
    path: '/llms-full.txt',
    operationId: 'getEverything',
    summary: 'The text of all pages and posts at once',
    type: 'text/plain',
    schema: Text,
  },
  {
    path: '/contributions.svg',
    operationId: 'getContributionGraph',
    summary: 'The contribution calendar as a picture',
    type: 'image/svg+xml',
    schema: Text,
    errors: { 404: 'There is no calendar to draw' },
  },
]

/** The OpenAPI document of the public content, from the schemas that its answers are made with. */
export function describeContent(baseUrl: string) {
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
    paths: Object.fromEntries(ROUTES.map((route) => [route.path, { get: describe(route) }])),
    components: { schemas: { Error: ErrorSchema } },
  }
}

function describe({ operationId, summary, type, schema, errors = {} }: ContentRoute) {
  return {
    operationId,
    summary,
    tags: ['Content'],
    security: [],
    responses: {
      200: { description: summary, content: { [type]: { schema } } },
      // Conditional requests are answered without a body.
      304: { description: 'Not modified since the client got it' },
      ...Object.fromEntries(
        Object.entries(errors).map(([status, description]) => [
          status,
          { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
        ]),
      ),
    },
  }
}
