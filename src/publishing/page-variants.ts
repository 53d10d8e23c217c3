import { PAGE_CSP } from '../http/headers.ts'
import type { Representation } from '../http/representation.ts'
import { type Frame, layout, markdownPath, type PageParts } from '../pages/layout.ts'
import type { PlannedPage, SitePage } from '../pages/site-pages.ts'
import { LazyResponse, type ResponseCache, type ResponseSource } from './response-cache.ts'

const SHORT_CACHE = { 'cache-control': 'public, max-age=60, stale-while-revalidate=600' }
// The response depends on content negotiation, and on whether the visitor is signed in.
const NEGOTIATED = { ...SHORT_CACHE, vary: 'Accept, Cookie' }
const IMMUTABLE_CACHE = { 'cache-control': 'public, max-age=31536000, immutable' }
const NO_STORE = { 'cache-control': 'no-store' }
// An SVG that is opened as a document may use inline styles only, and runs no scripts.
const SVG_CSP = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }

export interface PageVariants {
  html: LazyResponse
  markdown: LazyResponse
  /** For rendering the page for a signed-in visitor. */
  build(): Promise<SitePage>
  isSeldomRead: boolean
}

/** The content at a path: a page in two media types, or a file in one. */
export type Sendable = PageVariants | LazyResponse

export function isPage(content: Sendable | undefined): content is PageVariants {
  return content !== undefined && 'markdown' in content
}

/** The makers of the responses of one edition of the site. */
export function responsesOf(cache: ResponseCache, frame: Frame) {
  const edition = {}

  return {
    /** A page as HTML and as markdown. The `Link` header of each names the other (RFC 8288). */
    page({ path, isSeldomRead = false, build }: PlannedPage): PageVariants {
      const alternate = `<${frame.baseUrl}${markdownPath(path)}>; rel="alternate"; type="text/markdown"`
      const canonical = `<${frame.baseUrl}${path}>; rel="canonical"`
      return {
        html: response(path, async () => {
          const page = await build()
          const headers = { ...NEGOTIATED, link: alternate, ...scriptPolicy(page) }
          return { type: 'text/html; charset=utf-8', content: layout(frame, page), headers }
        }),
        markdown: response(`${path} as markdown`, async () => {
          const { markdown } = await build()
          const headers = { ...NEGOTIATED, link: canonical }
          return { type: 'text/markdown; charset=utf-8', content: `${markdown}\n`, headers }
        }),
        build: async () => build(),
        isSeldomRead,
      }
    },

    draft: ({ path, build }: PlannedPage<PageParts>): LazyResponse =>
      response(path, async () => {
        const page = await build()
        const headers = { ...NO_STORE, ...scriptPolicy(page) }
        return { type: 'text/html; charset=utf-8', content: layout(frame, page), headers }
      }),

    file: ({ path, type, content }: PlannedFile): LazyResponse =>
      response(path, async () => ({ type, content: await content(), headers: fileHeaders(path, type) })),
  }

  function response(key: string, make: () => Promise<ResponseSource>): LazyResponse {
    return new LazyResponse(cache, key, edition, make)
  }
}

/** A file whose content is made when it is requested. */
export interface PlannedFile {
  path: string
  type: string
  content: () => string | Buffer | Promise<string>
}

function fileHeaders(path: string, type: string): Representation['headers'] {
  if (path.startsWith('/assets/')) return IMMUTABLE_CACHE
  return type === 'image/svg+xml' ? { ...SHORT_CACHE, ...SVG_CSP } : SHORT_CACHE
}

/** Scripts are allowed on pages that have some. */
function scriptPolicy({ scripts = [] }: PageParts): Record<string, string> {
  return scripts.length > 0 ? { 'content-security-policy': `${PAGE_CSP}; script-src 'self'` } : {}
}
