import { mapOneByOne } from '../lib/one-by-one.ts'
import { documentAddresses, documentFaults, ownIconOf, siteFaults } from './content-faults.ts'
import { isDescribed } from './content-routes.ts'
import type { Document } from './document.ts'
import { ContentFault } from './fault.ts'
import { isPublic, type Library, readLibrary } from './library.ts'
import { createRenderer } from './markdown.ts'
import { styleAddresses } from './own-styles.ts'
import type { CheckedFacts, ExaminedFacts } from './packed-facts.ts'
import { resolveRedirects } from './redirects.ts'
import { siteAddresses } from './site-addresses.ts'

/** A document that is not public yet. */
export interface WaitingDocument {
  file: string
  title: string
  /** Its path when it is public. */
  path: string
  /** Undefined for a draft without a date. */
  date: Date | undefined
}

export interface ContentReport {
  /** False if there is no content folder. */
  exists: boolean
  readAt: Date
  posts: number
  pages: number
  drafts: WaitingDocument[]
  /** Documents with a date in the future, the next one first. */
  scheduled: WaitingDocument[]
  /** The faults that the service logs when it publishes the folder. */
  faults: ContentFault[]
  /** Content that works but is probably a mistake: documents with the same title, and files that nothing uses. */
  warnings: ContentFault[]
}

/** Checks the content folder like a service that publishes it, and serves nothing. */
export async function checkContent(folder: string, baseUrl: string): Promise<ContentReport> {
  return examineLibrary(await readLibrary(folder), baseUrl, new Date(), createRenderer())
}

/**
 * The state of a content folder that was read at this time. `factsOf` returns the facts about a document. Documents are
 * examined one at a time, so that requests are served meanwhile.
 */
export async function examineLibrary(
  library: Library,
  baseUrl: string,
  now: Date,
  factsOf: (markdown: string) => ExaminedFacts | Promise<ExaminedFacts>,
): Promise<ContentReport> {
  const { posts, pages, attachments } = library
  const addresses = await documentAddresses(library)
  const documents = await mapOneByOne([...posts, ...pages], async (document) => ({
    ...(await factsOf(document.markdown)),
    ...document,
    path: addresses.get(document.file) ?? '',
  }))
  const visible = documents.filter((document) => isPublic(document, now))
  const waiting = documents.filter((document) => !isPublic(document, now)).map(waitingDocument)
  const generated = ['/favicon.ico', '/robots.txt', ...(ownIconOf(attachments) ? [] : ['/favicon.svg'])]
  const made = await siteAddresses(library, now)
  const files = {
    has: (path: string) =>
      attachments.has(path) ||
      made.files.has(path) ||
      generated.includes(path) ||
      (path !== '/contributions.svg' && isDescribed(path)),
  }
  const redirects = resolveRedirects(
    { site: library.site, documents: visible },
    (path) => made.pages.has(path) || files.has(path),
  )
  const served = { files, pages: made.pages, redirects }
  const headings = new Map(visible.map((document) => [document.file, document.headings]))
  const linked = {
    published: headings,
    headingsOf: (file: string) => headings.get(file) ?? new Set(),
  }
  const { ofSite, ofDocument } = await documentFaults(library, linked, served, baseUrl)
  const inDocuments = await mapOneByOne(visible, ofDocument)
  return {
    exists: library.exists,
    readAt: now,
    posts: posts.filter((post) => isPublic(post, now)).length,
    pages: pages.filter((page) => isPublic(page, now)).length,
    drafts: waiting.filter(({ isDraft }) => isDraft),
    scheduled: waiting.filter(({ isDraft }) => !isDraft).sort((a, b) => Number(a.date) - Number(b.date)),
    faults: [...library.faults, ...siteFaults(library, served), ...ofSite, ...inDocuments.flat()],
    warnings: [...sameTitles(library), ...unusedFiles(library, documents, baseUrl)],
  }
}

function waitingDocument({ file, title, path, date, isDraft }: Document & { path: string }) {
  return { file, title, path, date, isDraft }
}

function sameTitles({ posts, pages }: Library): ContentFault[] {
  const files = new Map<string, string>()
  return [...posts.toReversed(), ...pages].flatMap(({ file, title }) => {
    const key = title.normalize('NFKC').toLowerCase()
    const other = files.get(key)
    if (!other) files.set(key, file)
    return other && title ? [new ContentFault(file, 1, `has the same title as ${other}`)] : []
  })
}

/** Files that no document, no setting of the site and no style sheet refers to. Icons are found by their names. */
function unusedFiles(
  { attachments, site, ownStyles }: Library,
  documents: (Pick<CheckedFacts, 'pictures' | 'links'> & Pick<Document, 'image'> & { path: string })[],
  baseUrl: string,
): ContentFault[] {
  const { origin } = new URL(baseUrl)
  const used = new Set<string>()
  const note = (address: string, page: string) => {
    const url = URL.parse(address, page)
    if (url?.origin === origin) used.add(url.pathname)
  }
  for (const address of [site.logo, site.portrait, ...[...site.navigation, ...site.links].map(({ url }) => url)])
    note(address, baseUrl)
  // Relative addresses of a style sheet are relative to its own address.
  for (const address of styleAddresses(ownStyles)) note(address, `${baseUrl}/assets/`)
  for (const { pictures, links, image, path } of documents)
    for (const { address } of [...pictures, ...links, ...(image ? [image] : [])]) note(address, baseUrl + path)
  return [...attachments.values()]
    .filter(({ file, address }) => !file.startsWith('favicon.') && !used.has(address))
    .map(({ file }) => new ContentFault(file, 1, 'is used by no post and no page'))
}
