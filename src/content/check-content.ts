import { mapOneByOne } from '../lib/one-by-one.ts'
import type { StoredText } from '../lib/stored-text.ts'
import { documentAddresses, documentFaults, ownIconOf, siteFaults } from './content-faults.ts'
import { isDescribed } from './content-routes.ts'
import { findWarnings } from './content-warnings.ts'
import type { Document } from './document.ts'
import { byPlace, type ContentFault } from './fault.ts'
import { isPublic, type Library, readLibrary } from './library.ts'
import { createRenderer } from './markdown.ts'
import { resolveRedirects } from './redirects.ts'
import type { ReportedMetadata } from './serialized-metadata.ts'
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
  /** The faults that the service logs when it publishes the folder, by file and line. */
  faults: ContentFault[]
  /** Content that works but is probably a mistake, by file and line (`content-warnings.ts`). */
  warnings: ContentFault[]
}

/** Checks the content folder like a service that publishes it, and serves nothing. */
export async function checkContent(folder: string, baseUrl: string): Promise<ContentReport> {
  const render = createRenderer()
  return examineLibrary(await readLibrary(folder), baseUrl, new Date(), (markdown) => render(markdown.toString()))
}

/**
 * The state of a content folder that was read at this time. `metadataOf` returns the metadata of a document. Documents
 * are examined one at a time, so that requests are served meanwhile.
 */
export async function examineLibrary(
  library: Library,
  baseUrl: string,
  now: Date,
  metadataOf: (markdown: StoredText) => ReportedMetadata | Promise<ReportedMetadata>,
): Promise<ContentReport> {
  const { posts, pages, attachments } = library
  const addresses = await documentAddresses(library)
  const documents = await mapOneByOne([...posts, ...pages], async (document) => ({
    ...(await metadataOf(document.markdown)),
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
  const redirects = resolveRedirects({ site: library.site, documents: visible }, { pages: made.pages, files })
  const served = { files, pages: made.pages, redirects }
  const anchors = new Map(visible.map((document) => [document.file, document.anchors]))
  const linked = {
    published: anchors,
    anchorsOf: (file: string) => anchors.get(file) ?? new Set(),
  }
  const { ofSite, ofDocument } = await documentFaults(library, linked, served, baseUrl)
  const inDocuments = await mapOneByOne(visible, ofDocument)
  const contentWarnings = findWarnings(library, baseUrl)
  for (const document of documents) contentWarnings.recordUsage(document)
  return {
    exists: library.exists,
    readAt: now,
    posts: posts.filter((post) => isPublic(post, now)).length,
    pages: pages.filter((page) => isPublic(page, now)).length,
    drafts: waiting.filter(({ isDraft }) => isDraft),
    scheduled: waiting.filter(({ isDraft }) => !isDraft).sort((a, b) => Number(a.date) - Number(b.date)),
    faults: [...library.faults, ...siteFaults(library, served), ...ofSite, ...inDocuments.flat()].sort(byPlace),
    warnings: (await contentWarnings.warnings()).sort(byPlace),
  }
}

function waitingDocument({ file, title, path, date, isDraft }: Document & { path: string }) {
  return { file, title, path, date, isDraft }
}
