import { posix } from 'node:path'
import { escapeHtml } from '../lib/escape-html.ts'
import { isAttachment } from './attachment.ts'
import { ContentFault } from './fault.ts'
import { type Rendered, renderedMarkdown } from './markdown.ts'
import { OWN_STYLES_FILE, styleLinks } from './own-styles.ts'
import { isServerPath, pageOf } from './page-paths.ts'
import { DYNAMIC_FILES } from './pictures.ts'
import { localPathOf, type Redirects } from './redirects.ts'
import type { Anchors } from './serialized-metadata.ts'
import type { Site } from './site.ts'

/** Maps the files of posts and pages to their paths on the site, such as posts/2026-11-08-hello.md to /blog/hello. */
export type FileAddresses = Map<string, string>

/**
 * Rewrites links to files of the content folder to the published addresses, in HTML and in markdown. In markdown, which
 * is read away from its page, all addresses become absolute. `page` is the URL of the page, `inMarkdown` returns the
 * URL of the markdown at a path.
 */
export function linkFiles(
  from: string,
  { html, markdown }: { html: string } & Pick<Rendered, 'markdown'>,
  addresses: FileAddresses,
  page: string,
  inMarkdown: (path: string) => string,
): { html: string; markdown: string } {
  return {
    html: html.replace(/href="([^"]*)"/g, (attribute, address) => {
      const path = published(address.replaceAll('&amp;', '&'), (path) => path)
      return path === undefined ? attribute : `href="${escapeHtml(path)}"`
    }),
    markdown: renderedMarkdown({ markdown }, (address) => published(address, inMarkdown) ?? absolute(address, page)),
  }

  /** The published address, or undefined for other links. */
  function published(address: string, write: (path: string) => string): string | undefined {
    const link = fileLink(from, address)
    const path = link && addresses.get(link.file)
    return path === undefined ? undefined : write(path) + withoutBrackets(link?.rest ?? '')
  }
}

/** Undefined for an address that is absolute as it is. */
function absolute(address: string, page: string): string | undefined {
  const url = URL.canParse(address) ? null : URL.parse(address, page)
  return url ? withoutBrackets(url.href) : undefined
}

/** Parentheses are encoded, as `)` would end the address in markdown. */
function withoutBrackets(address: string): string {
  return address.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'))
}

/**
 * The markdown file that a relative address names, relative to the content folder. `rest` is the query and fragment.
 */
function fileLink(from: string, address: string): { file: string; rest: string } | undefined {
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(address) ?? []
  if (!path.endsWith('.md') || path.startsWith('/') || /^[^/]*:/.test(path)) return undefined
  return { file: posix.join(posix.dirname(from), decoded(path)), rest }
}

interface Linked extends Pick<Rendered, 'links' | 'openComments'> {
  file: string
  firstLine: number
}

interface LinkedSite {
  site: Pick<Site, 'navigation' | 'links' | 'redirects'>
  ownStyles: string
}

export interface Linkable {
  /** All posts and pages, by file. */
  documents: Map<string, { isDraft: boolean; date: Date | undefined }>
  /** The public posts and pages, by file. */
  published: Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>
  /** The ids of a public post or page that a link can lead to. */
  anchorsOf(file: string): Anchors
  /** The files of posts and pages, by path. */
  fileAt: Map<string, string>
  /** The published files and pages, by path. */
  files: { has(path: string): boolean }
  pages: { has(path: string): boolean }
  redirects: Pick<Redirects, 'targets'>
  origin: string
}

/** A fault for each link to a file or heading that is not published, and for each comment without an end. */
export function brokenLinks(from: Linked, page: string, site: Linkable): ContentFault[] {
  const { file, firstLine, links, openComments } = from
  // Thousands of links may lead to the headings of one document.
  const anchors = new Map<string, Anchors>()
  const anchorsOf = (linked: string) => {
    const known = anchors.get(linked) ?? site.anchorsOf(linked)
    anchors.set(linked, known)
    return known
  }
  const linkable = { ...site, anchorsOf }
  const faults = [
    ...openComments.map((line) => ({ line, why: 'a comment has no end: "-->" is missing' })),
    ...links.map(({ address, line }) => ({ line, why: whyBroken(file, address, page, linkable) })),
  ]
  return faults.flatMap(({ line, why }) => (why ? [new ContentFault(file, firstLine - 1 + line, why)] : []))
}

/**
 * A fault for each link of `site.yaml`, each fragment of a redirect and each file in the author's style sheet that
 * leads nowhere. `baseUrl` is the address of the site.
 */
export function brokenSiteLinks({ site, ownStyles }: LinkedSite, baseUrl: string, linkable: Linkable): ContentFault[] {
  const { targets } = linkable.redirects
  const redirected = site.redirects.filter(({ from, to }) => to.includes('#') && targets.get(from) === to)
  const inSettings = [
    ...[...site.navigation, ...site.links].map(({ url, line }) => ({ address: url, line })),
    ...redirected.map(({ to, line }) => ({ address: to, line })),
  ]
  // Relative addresses of a style sheet are relative to its own address.
  return [
    ...faultsIn('site.yaml', inSettings, `${baseUrl}/`),
    ...faultsIn(OWN_STYLES_FILE, styleLinks(ownStyles), `${baseUrl}/assets/`),
  ]

  function faultsIn(file: string, links: { address: string; line: number }[], page: string): ContentFault[] {
    return links.flatMap(({ address, line }) => {
      const why = whyNotServed(address, page, linkable)
      return why ? [new ContentFault(file, line, why)] : []
    })
  }
}

function whyBroken(from: string, address: string, page: string, site: Linkable): string | undefined {
  if (address.startsWith('#')) return whyNoHeading(address, from, site)
  const link = fileLink(from, address)
  if (!link) return whyNotServed(address, page, site)
  const { file, rest } = link
  if (file.startsWith('../')) return `the link ${address} leads out of the content folder`
  return whyNotPublished(file, rest, address, site)
}

function whyNotPublished(file: string, rest: string, address: string, site: Linkable): string | undefined {
  const document = site.documents.get(file)
  if (!document) return `there is no post or page ${file} for the link ${address}`
  if (site.published.has(file)) return whyNoHeading(rest, file, site)
  const until = document.isDraft ? 'is a draft' : `is not public until ${document.date?.toISOString().slice(0, 10)}`
  return `the link ${address} leads nowhere yet: ${file} ${until}`
}

// Fragments that work on every page: the top of the document (HTML, "find a potential indicated element") and the
// target of the skip link.
const COMMON_FRAGMENTS = ['', 'top', 'content']

function whyNoHeading(rest: string, file: string, { anchorsOf }: Pick<Linkable, 'anchorsOf'>): string | undefined {
  // The end of a fragment can be a text fragment, such as `:~:text=word` (WICG, "URL Fragment Text Directives").
  const id = decoded(rest.split('#', 2)[1]?.split(':~:', 1)[0] ?? '')
  return COMMON_FRAGMENTS.includes(id) || anchorsOf(file).has(id) ? undefined : `there is no heading #${id} in ${file}`
}

/** The reason why this site does not serve an address. Undefined for addresses that it serves, and for other sites. */
function whyNotServed(address: string, page: string, site: Linkable): string | undefined {
  const url = URL.parse(address, page)
  if (!url || url.origin !== site.origin) return undefined
  const { pathname, hash } = url
  if (isAttachment(pathname)) return whyNoAttachment(address, pathname, site)
  const { pages, files, redirects } = site
  const path = pagePathOf(pathname)
  const target = redirects.targets.get(path)
  const file = site.fileAt.get(target === undefined ? path : pagePathOf(localPathOf(target) ?? ''))
  // The fragment of a redirect replaces that of the link (RFC 9110, section 10.2.2).
  if (file !== undefined) return whyNotPublished(file, target?.includes('#') ? '' : hash, address, site)
  if (pages.has(path) || files.has(path) || target !== undefined || isServerPath(path)) return undefined
  return `there is no ${/\.[^/.]+$/.test(path) ? 'file' : 'page'} ${path} for the link ${address}`
}

/** The path of the page at an address: without a slash at its end, and without the ending of its markdown. */
function pagePathOf(pathname: string): string {
  return pageOf(encodeURI(decoded(pathname)).replace(/(?<=[^/])\/$/, ''))
}

function whyNoAttachment(address: string, path: string, { files }: Linkable): string | undefined {
  if (files.has(path) || DYNAMIC_FILES.test(path)) return undefined
  return `there is no file ${address}: it belongs in images/, or beside this file`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
