import type { Document } from './document.ts'
import type { ContentFault } from './fault.ts'
import { brokenLinks, type FileAddresses } from './file-links.ts'
import type { Library } from './library.ts'
import type { DocumentFacts } from './markdown.ts'
import { missingPictures, missingSitePictures } from './pictures.ts'

type PublicDocument = Pick<Document, 'file' | 'firstLine'> & Omit<DocumentFacts, 'passages'> & { path: string }

/** Finds faults of a document that is published nevertheless: broken links, missing pictures, comments without an end. */
export function documentFaults(
  { posts, pages }: Library,
  published: PublicDocument[],
  files: { has(path: string): boolean },
  baseUrl: string,
): (page: PublicDocument) => ContentFault[] {
  const linkable = { documents: byFile([...posts, ...pages]), published: byFile(published), files }
  return (page) => [
    ...missingPictures(page, baseUrl + page.path, files),
    ...brokenLinks(page, baseUrl + page.path, linkable),
  ]
}

/** The faults of `site.yaml` that show when the folder is read. */
export function siteFaults({ site }: Library, files: { has(path: string): boolean }): ContentFault[] {
  return missingSitePictures(site, files)
}

/** The paths of all posts and pages. `pages/index.md` is the start of the home page. */
export function documentAddresses({ posts, pages }: Library): FileAddresses {
  return new Map([
    ...posts.map(({ file, slug }) => [file, `/blog/${slug}`] as const),
    ...pages.map(({ file, slug }) => [file, slug === 'index' ? '/' : `/${slug}`] as const),
  ])
}

const ICONS = ['/favicon.svg', '/favicon.png', '/favicon.ico']

/** The icon of the content folder, if it has one. Otherwise `/favicon.svg` is generated. */
export function ownIconOf(attachments: Library['attachments']): string | undefined {
  return ICONS.find((path) => attachments.has(path))
}

function byFile<T extends { file: string }>(documents: T[]): Map<string, T> {
  return new Map(documents.map((document) => [document.file, document]))
}
