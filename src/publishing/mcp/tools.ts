import { type CallToolResult, McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { MAX_QUERY_CHARACTERS } from '../../content/search/find-pages.ts'
import { version } from '../../lib/version.ts'
import { searchJson } from '../../pages/search-page.ts'
import type { SiteReader } from './site-reader.ts'

const MAX_ENTRIES = 100
const DEFAULT_ENTRIES = 50
const MAX_ADDRESS_CHARACTERS = 2000
const NOT_READY = 'The search is being prepared. Please try again in a few seconds.'
const READ_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

const SEARCH = z.object({
  query: z.string().min(1).max(MAX_QUERY_CHARACTERS).describe('Words. The last one may be incomplete'),
})
const LIST = z.object({
  kind: z.enum(['posts', 'pages']).default('posts'),
  tag: z.string().max(200).optional().describe('Only entries with this tag'),
  year: z.int().min(0).max(9999).optional().describe('Only entries with a date in this year (UTC)'),
  limit: z.int().min(1).max(MAX_ENTRIES).default(DEFAULT_ENTRIES),
  cursor: z.string().max(MAX_ADDRESS_CHARACTERS).optional().describe('`nextCursor` of the list before'),
})
const READ = z.object({
  address: z
    .string()
    .min(1)
    .max(MAX_ADDRESS_CHARACTERS)
    .describe('A URL of this site, or a path such as /about. A former one that redirects is followed.'),
})
const DESCRIBE_API = z.object({
  api: z.enum(['content', 'account']),
  path: z.string().max(200).optional().describe('A path of the API, for its OpenAPI description. All paths without it'),
})

/** Reports an error of a tool. The client gets a message without internals. */
type Report = (error: unknown) => void

/** The server of one request: tools and resources to read the site. */
export function createServer(site: SiteReader, report: Report): McpServer {
  const { baseUrl, site: settings } = site.frame
  const server = new McpServer(
    { name: new URL(baseUrl).host, title: settings.title, version, websiteUrl: baseUrl },
    {
      instructions: `Reads the public pages and posts of ${settings.title} (${baseUrl}). ${settings.description}`,
      // Without streams there are no notifications of changes.
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
    },
  )

  if (site.search) {
    const find = site.search
    server.registerTool(
      'search',
      {
        title: 'Search the site',
        description: 'Finds pages and posts by words, best first. Tolerates typing mistakes.',
        inputSchema: SEARCH,
        annotations: READ_ONLY,
      },
      guarded(async ({ query }: z.infer<typeof SEARCH>) => {
        const found = await find(query)
        return found ? structured(searchJson(query, found, baseUrl)) : failed(NOT_READY)
      }),
    )
  }
  server.registerTool(
    'list',
    {
      title: 'List posts or pages',
      description: 'Lists posts, newest first, or pages. Can be limited to a tag and to a year.',
      inputSchema: LIST,
      annotations: READ_ONLY,
    },
    guarded(async ({ cursor, ...asked }: z.infer<typeof LIST>) => {
      const listing = site.list({ ...asked, after: cursor })
      if (!listing) return failed('The cursor is not of this list')
      const entries = listing.entries.map(({ path, title, description, date, tags }) => ({
        title: title || settings.title,
        description,
        url: baseUrl + path,
        ...(date && { date: date.toISOString() }),
        tags: tags.map(({ name }) => name),
      }))
      return structured({ total: listing.total, entries, ...(listing.next && { nextCursor: listing.next }) })
    }),
  )
  server.registerTool(
    'read',
    {
      title: 'Read a page or post',
      description: 'The markdown of a page or post of this site, with its front matter.',
      inputSchema: READ,
      annotations: READ_ONLY,
    },
    guarded(async ({ address }: z.infer<typeof READ>) => {
      const markdown = await site.read(address)
      return markdown === undefined ? failed('There is no page at this address') : text(markdown)
    }),
  )
  server.registerTool(
    'describe_api',
    {
      title: 'Describe an API of the site',
      description: 'The calls of the content API or of the account API, or the OpenAPI description of one path.',
      inputSchema: DESCRIBE_API,
      annotations: READ_ONLY,
    },
    guarded(async ({ api, path }: z.infer<typeof DESCRIBE_API>) => {
      const { paths } = site.describe(api)
      if (path === undefined) return text(callsOf(paths))
      return Object.hasOwn(paths, path) ? text(JSON.stringify(paths[path])) : failed(`The ${api} API has no such path`)
    }),
  )

  const pages = new ResourceTemplate(`${baseUrl}/{+path}.md`, {
    list: async () => ({
      resources: (['pages', 'posts'] as const)
        .flatMap((kind) => site.list({ kind, limit: MAX_ENTRIES / 2 })?.entries ?? [])
        .map(({ title, description, markdownUrl }) => ({
          uri: markdownUrl,
          name: title || settings.title,
          // Without it, each entry would have the title of the template.
          title: title || settings.title,
          description,
          mimeType: 'text/markdown',
        })),
    }),
  })
  server.registerResource(
    'page',
    pages,
    { title: 'Pages and posts', description: 'The list has the first ones of each', mimeType: 'text/markdown' },
    async (uri) => {
      const markdown = await site.read(uri.href)
      if (markdown === undefined) throw new ResourceNotFoundError(uri.href)
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text: markdown }] }
    },
  )
  return server

  function guarded<Arguments>(run: (args: Arguments) => Promise<CallToolResult>) {
    return async (args: Arguments): Promise<CallToolResult> => {
      try {
        return await run(args)
      } catch (error) {
        report(error)
        return failed('The site could not do that')
      }
    }
  }
}

function callsOf(paths: Record<string, Record<string, { summary?: string }>>): string {
  return Object.entries(paths)
    .flatMap(([path, calls]) =>
      Object.entries(calls).map(([method, { summary = '' }]) => `- ${method.toUpperCase()} ${path}: ${summary}`),
    )
    .join('\n')
}

function text(content: string): CallToolResult {
  return { content: [{ type: 'text', text: content }] }
}

/** The specification recommends the JSON as text too, for clients that do not read structured content. */
function structured(result: Record<string, unknown>): CallToolResult {
  return { ...text(JSON.stringify(result)), structuredContent: result }
}

function failed(message: string): CallToolResult {
  return { ...text(message), isError: true }
}
