import { IMMUTABLE_CACHE, SHORT_CACHE } from '../http/cache-policy.ts'
import { PAGE_CSP } from '../http/headers.ts'
import type { Reply } from '../http/reply.ts'
import type { Representation } from '../http/representation.ts'
import type { Request } from '../http/request.ts'
import { type Frame, layout, type PageContent } from '../pages/layout.ts'
import { markdownHeaders, pageMarkdown } from '../pages/page-markdown.ts'
import type { PlannedPage, SitePage } from '../pages/site-pages.ts'
import { linkHeaders } from './link-headers.ts'
import { LazyResponse, type ResponseCache, type ResponseSource } from './response-cache.ts'

const SHORT_CACHE_HEADERS = { 'cache-control': SHORT_CACHE }
// The response depends on content negotiation, and on whether the visitor is signed in.
const NEGOTIATED = { ...SHORT_CACHE_HEADERS, vary: 'Accept, Cookie' }
export const IMMUTABLE = { 'cache-control': IMMUTABLE_CACHE }
const NO_STORE = { 'cache-control': 'no-store' }
// An SVG that is opened as a document may use inline styles only, and runs no scripts.
const SVG_CSP = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }

export interface PageVariants {
  html: LazyResponse
  markdown: LazyResponse
  /** For rendering the page for a signed-in visitor. */
  build(): Promise<SitePage>
  isLowPriority: boolean
}

/** The content at a path: a page in two media types, or a file in one. */
export type Sendable = PageVariants | LazyResponse | DiskFile

/** A file that is read from the disk for each request, and is not kept in memory. */
export interface DiskFile {
  send(request: Request, reply: Reply): Promise<Reply>
}

export function isDiskFile(content: Sendable): content is DiskFile {
  return 'send' in content
}

export function isPage(content: Sendable | undefined): content is PageVariants {
  return content !== undefined && 'markdown' in content
}

// A path has no spaces.
const AS_MARKDOWN = ' as markdown'

/** The path of a response, from its key. */
export function pathOfKey(key: string): string {
  return key.endsWith(AS_MARKDOWN) ? key.slice(0, -AS_MARKDOWN.length) : key
}

/** The functions that make the responses of one publication. */
export function responsesOf(cache: ResponseCache, frame: Frame) {
  const publication = {}

  return {
    /** A page as HTML and as markdown. The `Link` header of each names the other (RFC 8288). */
    page({ path, isLowPriority = false, build }: PlannedPage): PageVariants {
      return {
        html: response(path, async () => {
          const page = await build()
          const headers = { ...NEGOTIATED, link: linkHeaders(frame.baseUrl, path).html, ...scriptPolicy(page) }
          return { type: 'text/html; charset=utf-8', content: layout(frame, page), headers }
        }),
        markdown: response(path + AS_MARKDOWN, async () => {
          const content = pageMarkdown(frame, await build())
          const headers = {
            ...NEGOTIATED,
            link: linkHeaders(frame.baseUrl, path).markdown,
            ...markdownHeaders(content),
          }
          return { type: 'text/markdown; charset=utf-8', content, headers }
        }),
        build: async () => build(),
        isLowPriority,
      }
    },

    draft: ({ path, build }: PlannedPage<PageContent>): LazyResponse =>
      response(path, async () => {
        const page = await build()
        const headers = { ...NO_STORE, ...scriptPolicy(page) }
        return { type: 'text/html; charset=utf-8', content: layout(frame, page), headers }
      }),

    file: ({ path, type, content, headers }: PlannedFile): LazyResponse =>
      response(path, async () => ({
        type,
        content: await content(),
        headers: { ...fileHeaders(path, type), ...headers },
      })),
  }

  function response(key: string, make: () => Promise<ResponseSource>): LazyResponse {
    return new LazyResponse(cache, key, publication, make)
  }
}

/** The plan of a file: its path, and the function that makes its content when it is requested. */
export interface PlannedFile {
  path: string
  type: string
  content: () => string | Buffer | Promise<string | Buffer>
  /** Further headers. Names are in lower case. */
  headers?: Record<string, string>
}

export function fileHeaders(path: string, type: string): Representation['headers'] {
  if (path.startsWith('/assets/')) return IMMUTABLE
  return type === 'image/svg+xml' ? { ...SHORT_CACHE_HEADERS, ...SVG_CSP } : SHORT_CACHE_HEADERS
}

/** Scripts are allowed on pages that have some. */
function scriptPolicy({ scripts = [] }: PageContent): Record<string, string> {
  return scripts.length > 0 ? { 'content-security-policy': `${PAGE_CSP}; script-src 'self'` } : {}
}
