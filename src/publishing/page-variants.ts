import type { Attachment } from '../content/attachment.ts'
import { type Representation, represent } from '../http/representation.ts'
import { type Frame, layout, markdownPath, type PageParts } from '../pages/layout.ts'
import type { SitePage } from '../pages/site-pages.ts'

const SHORT = { 'cache-control': 'public, max-age=60, stale-while-revalidate=600' }
// One address, several forms; and who is signed in has a page of their own.
const NEGOTIATED = { ...SHORT, vary: 'Accept, Cookie' }
const FOREVER = { 'cache-control': 'public, max-age=31536000, immutable' }
const NEVER = { 'cache-control': 'no-store' }
// Opened by itself, a drawing may use the style inside it and nothing else.
const DRAWING = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }

export interface PageVariants {
  html: Representation
  markdown: Representation
  /** For those whose page has more on it than everybody's. */
  parts: PageParts
}

/** What an address may lead to: a page, or something that has one form only. */
export type Sendable = PageVariants | Representation

export function isPage(found: Sendable | undefined): found is PageVariants {
  return found !== undefined && 'markdown' in found
}

/** A page as HTML and as markdown, each of which says where the other is. */
export async function pageVariants(page: SitePage, frame: Frame, former?: PageVariants): Promise<PageVariants> {
  const alternate = `<${frame.baseUrl}${markdownPath(page.path)}>; rel="alternate"; type="text/markdown"`
  const canonical = `<${frame.baseUrl}${page.path}>; rel="canonical"`
  const [inHtml, inMarkdown] = [layout(frame, page), `${page.markdown}\n`]
  const [html, markdown] = await Promise.all([
    represent('text/html; charset=utf-8', inHtml, { ...NEGOTIATED, link: alternate }, former?.html),
    represent('text/markdown; charset=utf-8', inMarkdown, { ...NEGOTIATED, link: canonical }, former?.markdown),
  ])
  return { html, markdown, parts: page }
}

export function draftRepresentation(page: PageParts, frame: Frame): Promise<Representation> {
  return represent('text/html; charset=utf-8', layout(frame, page), NEVER)
}

export function fileRepresentation(path: string, type: string, content: string | Buffer, former?: Representation) {
  const headers = path.startsWith('/assets/') ? FOREVER : type === 'image/svg+xml' ? { ...SHORT, ...DRAWING } : SHORT
  return represent(type, content, headers, former)
}

const prepared = new WeakMap<Attachment, Promise<Representation>>()

/** Prepared once for as long as the file stays the same. */
export function attachmentRepresentation(attachment: Attachment): Promise<Representation> {
  const { address, type, bytes } = attachment
  const form = prepared.get(attachment) ?? fileRepresentation(address, type, bytes)
  prepared.set(attachment, form)
  return form
}
