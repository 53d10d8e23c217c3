import { posix } from 'node:path'
import { escapeHtml } from '../lib/escape-html.ts'
import { isAttachment } from './attachment.ts'
import { ContentFault } from './fault.ts'
import type { Rendered } from './markdown.ts'
import { DYNAMIC_FILES } from './pictures.ts'

/** The addresses of posts and pages by the files they are in, such as /blog/hello for posts/2026-11-08-hello.md. */
export type FileAddresses = Map<string, string>

/** HTML and markdown in which links to files of the content folder lead to the published addresses. */
export function linkFiles(
  from: string,
  { html, toMarkdown }: Pick<Rendered, 'html' | 'toMarkdown'>,
  addresses: FileAddresses,
  inMarkdown: (path: string) => string,
): { html: string; markdown: string } {
  return {
    html: html.replace(/href="([^"]*)"/g, (whole, address) => {
      const path = published(address.replaceAll('&amp;', '&'), (path) => path)
      return path === undefined ? whole : `href="${escapeHtml(path)}"`
    }),
    markdown: toMarkdown((address) => published(address, inMarkdown)),
  }

  /** Round brackets would end the address in markdown. */
  function published(address: string, write: (path: string) => string): string | undefined {
    const link = fileLink(from, address)
    const path = link && addresses.get(link.file)
    return path === undefined
      ? undefined
      : write(path) + link?.rest.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'))
  }
}

/** The markdown file that a relative address names, as it is called in the content folder; `rest` is its query and fragment. */
function fileLink(from: string, address: string): { file: string; rest: string } | undefined {
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(address) ?? []
  if (!path.endsWith('.md') || path.startsWith('/') || /^[^/]*:/.test(path)) return undefined
  return { file: posix.join(posix.dirname(from), decoded(path)), rest }
}

interface Linked extends Pick<Rendered, 'links' | 'headings' | 'openComments'> {
  file: string
  firstLine: number
}

interface Linkable {
  /** Every post and page, by its file. */
  documents: Map<string, { isDraft: boolean; date: Date | undefined }>
  /** The public ones, by their files. */
  published: Map<string, { headings: Set<string> }>
  /** Everything that is published as a file, by its address. */
  files: { has(path: string): boolean }
}

/** A fault for each link to a file or a heading that readers would not find, and for each comment without an end. */
export function brokenLinks(from: Linked, page: string, site: Linkable): ContentFault[] {
  const { file, firstLine, links, openComments } = from
  const faults = [
    ...openComments.map((line) => ({ line, why: 'a comment has no end: "-->" is missing' })),
    ...links.map(({ address, line }) => ({ line, why: whyBroken(from, address, page, site) })),
  ]
  return faults.flatMap(({ line, why }) => (why ? [new ContentFault(file, firstLine - 1 + line, why)] : []))
}

function whyBroken(from: Linked, address: string, page: string, site: Linkable): string | undefined {
  if (address.startsWith('#')) return whyNoHeading(address, from)
  const link = fileLink(from.file, address)
  if (!link) return whyNoAttachment(address, page, site)
  const { file, rest } = link
  if (file.startsWith('../')) return `the link ${address} leads out of the content folder`
  const document = site.documents.get(file)
  if (!document) return `there is no post or page ${file} for the link ${address}`
  const published = site.published.get(file)
  if (published) return whyNoHeading(rest, { file, headings: published.headings })
  const until = document.isDraft ? 'is a draft' : `is not public until ${document.date?.toISOString().slice(0, 10)}`
  return `the link ${address} leads nowhere yet: ${file} ${until}`
}

// Every page has these: the top of it (HTML, "find a potential indicated element"), and where the skip link leads.
const EVERYWHERE = ['', 'top', 'content']

function whyNoHeading(rest: string, { file, headings }: Pick<Linked, 'file' | 'headings'>): string | undefined {
  const id = decoded(rest.split('#', 2)[1] ?? '')
  return headings.has(id) || EVERYWHERE.includes(id) ? undefined : `there is no heading #${id} in ${file}`
}

function whyNoAttachment(address: string, page: string, { files }: Linkable): string | undefined {
  const url = URL.parse(address, page)
  if (!url || url.origin !== new URL(page).origin || !isAttachment(url.pathname)) return undefined
  if (files.has(url.pathname) || DYNAMIC_FILES.test(url.pathname)) return undefined
  return `there is no file ${address}: it belongs in images/, or beside this file`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
