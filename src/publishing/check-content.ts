import { ContentFault } from '../content/fault.ts'
import type { Highlighter } from '../content/highlight.ts'
import { isPublic, type Library, readLibrary } from '../content/library.ts'
import { createRenderer, type Rendered } from '../content/markdown.ts'
import { documentAddresses, findFaults, ownIconOf } from './content-faults.ts'

export interface ContentReport {
  /** False if there is no content folder. */
  exists: boolean
  posts: number
  pages: number
  /** Drafts, and documents with a date in the future. */
  waiting: number
  /** What the service logs when it publishes the folder. */
  faults: ContentFault[]
  /** What is probably not meant, but works: documents with the same title, and pictures that nothing uses. */
  warnings: ContentFault[]
}

// The check needs links and pictures, not the colours of code.
const PLAIN_CODE: Highlighter = { toHtml: () => '', paintMissing: async () => false, css: () => '' }

/** Checks the content folder like a service that publishes it, and serves nothing. */
export async function checkContent(folder: string, baseUrl: string): Promise<ContentReport> {
  const library = await readLibrary(folder)
  const { posts, pages, attachments } = library
  const render = createRenderer(PLAIN_CODE)
  const addresses = documentAddresses(library)
  const now = new Date()
  const documents = [...posts, ...pages].map((document) => ({
    ...render(document.markdown),
    ...document,
    path: addresses.get(document.file) ?? '',
  }))
  const visible = documents.filter((document) => isPublic(document, now))
  const generated = ['/favicon.ico', ...(ownIconOf(attachments) ? [] : ['/favicon.svg'])]
  const files = { has: (path: string) => attachments.has(path) || generated.includes(path) }
  return {
    exists: library.exists,
    posts: posts.filter((post) => isPublic(post, now)).length,
    pages: pages.filter((page) => isPublic(page, now)).length,
    waiting: documents.length - visible.length,
    faults: [...library.faults, ...findFaults(library, visible, files, baseUrl)],
    warnings: [...sameTitles(library), ...unusedPictures(library, documents, baseUrl)],
  }
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

/** Files in `images/` that no document and no setting of the site refers to. */
function unusedPictures(
  { attachments, site }: Library,
  documents: (Pick<Rendered, 'pictures' | 'links'> & { path: string })[],
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
  for (const { pictures, links, path } of documents)
    for (const { address } of [...pictures, ...links]) note(address, baseUrl + path)
  return [...attachments.values()]
    .filter(({ file, address }) => file.startsWith('images/') && !used.has(address))
    .map(({ file }) => new ContentFault(file, 1, 'is used by no post and no page'))
}
