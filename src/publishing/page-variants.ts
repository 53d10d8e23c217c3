import type { Attachment } from '../content/attachment.ts'
import { PAGE_CSP } from '../http/headers.ts'
import { type Representation, represent } from '../http/representation.ts'
import { type Frame, layout, markdownPath, type PageParts } from '../pages/layout.ts'
import type { SitePage } from '../pages/site-pages.ts'

const SHORT_CACHE = { 'cache-control': 'public, max-age=60, stale-while-revalidate=600' }
// The response depends on content negotiation, and on whether the visitor is signed in.
const NEGOTIATED = { ...SHORT_CACHE, vary: 'Accept, Cookie' }
const IMMUTABLE_CACHE = { 'cache-control': 'public, max-age=31536000, immutable' }
const NO_STORE = { 'cache-control': 'no-store' }
// An SVG that is opened as a document may use inline styles only, and runs no scripts.
const SVG_CSP = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }

export interface PageVariants {
  html: Representation
  markdown: Representation
  /** For rendering the page for a signed-in visitor. */
  parts: PageParts
}

/** The content at a path: a page in two media types, or a file in one. */
export type Sendable = PageVariants | Representation

export function isPage(content: Sendable | undefined): content is PageVariants {
  return content !== undefined && 'markdown' in content
}

/** A page as HTML and as markdown. The `Link` header of each names the other (RFC 8288). */
export async function pageVariants(page: SitePage, frame: Frame, former?: PageVariants): Promise<PageVariants> {
  const alternate = `<${frame.baseUrl}${markdownPath(page.path)}>; rel="alternate"; type="text/markdown"`
  const canonical = `<${frame.baseUrl}${page.path}>; rel="canonical"`
  const [inHtml, inMarkdown] = [layout(frame, page), `${page.markdown}\n`]
  const [html, markdown] = await Promise.all([
    represent(
      'text/html; charset=utf-8',
      inHtml,
      { ...NEGOTIATED, link: alternate, ...scriptPolicy(page) },
      former?.html,
    ),
    represent('text/markdown; charset=utf-8', inMarkdown, { ...NEGOTIATED, link: canonical }, former?.markdown),
  ])
  return { html, markdown, parts: page }
}

export function draftRepresentation(page: PageParts, frame: Frame): Promise<Representation> {
  return represent('text/html; charset=utf-8', layout(frame, page), { ...NO_STORE, ...scriptPolicy(page) })
}

/** Scripts are allowed on pages that have some. */
function scriptPolicy({ scripts = [] }: PageParts): Record<string, string> {
  return scripts.length > 0 ? { 'content-security-policy': `${PAGE_CSP}; script-src 'self'` } : {}
}

export function fileRepresentation(path: string, type: string, content: string | Buffer, former?: Representation) {
  const headers = path.startsWith('/assets/')
    ? IMMUTABLE_CACHE
    : type === 'image/svg+xml'
      ? { ...SHORT_CACHE, ...SVG_CSP }
      : SHORT_CACHE
  return represent(type, content, headers, former)
}

const attachmentCache = new WeakMap<Attachment, Promise<Representation>>()

/** Cached by attachment object, which is reused while the file is unchanged. */
export function attachmentRepresentation(attachment: Attachment): Promise<Representation> {
  const { address, type, bytes } = attachment
  const representation = attachmentCache.get(attachment) ?? fileRepresentation(address, type, bytes)
  attachmentCache.set(attachment, representation)
  return representation
}
