import { mapInBackground } from '../lib/cooperative-scheduling.ts'
import type { Document } from './document.ts'
import { ContentFault } from './fault.ts'
import { brokenLinks, brokenSiteLinks, type FileAddresses, type Linkable } from './file-links.ts'
import type { Library } from './library.ts'
import { missingPictures, missingSitePictures, undescribedPictures, unusablePictures } from './pictures.ts'
import type { Redirects } from './redirects.ts'
import type { CheckedMetadata } from './serialized-metadata.ts'

type PublicDocument = Pick<Document, 'file' | 'firstLine' | 'image'> & CheckedMetadata & { path: string }

interface Paths {
  has(path: string): boolean
}

/** The addresses that the site serves, by path. */
export interface Served {
  files: Paths
  pages: Paths
  redirects: Redirects
}

/**
 * Finds faults of documents that are published nevertheless: broken links, missing pictures, comments without an end,
 * formulas and footnotes with mistakes. `ofSite` are the broken links of `site.yaml` and of the author's style sheet.
 */
export async function documentFaults(
  library: Library,
  { published, anchorsOf }: Pick<Linkable, 'published' | 'anchorsOf'>,
  served: Served,
  baseUrl: string,
): Promise<{ ofSite: ContentFault[]; ofDocument(page: PublicDocument): ContentFault[] }> {
  const byName = new Map(
    await mapInBackground([...library.posts, ...library.pages], (document) => [document.file, document] as const),
  )
  const addresses = await documentAddresses(library)
  // Of several documents with the same path, the published one is last.
  const fileAt = new Map(
    await mapInBackground(
      [...byName.keys(), ...published.keys()],
      (file) => [addresses.get(file) ?? '', file] as const,
    ),
  )
  const linkable = { ...served, documents: byName, published, anchorsOf, fileAt, origin: new URL(baseUrl).origin }
  return {
    ofSite: brokenSiteLinks(library, baseUrl, linkable),
    ofDocument: (page) => [
      ...missingPictures(page, baseUrl + page.path, served.files),
      ...undescribedPictures(page),
      ...brokenLinks(page, baseUrl + page.path, linkable),
      ...page.problems.map(({ line, problem }) => new ContentFault(page.file, page.firstLine - 1 + line, problem)),
    ],
  }
}

/** The faults of `site.yaml`, of all redirects, and of files that are no pictures. */
export function siteFaults({ site, attachments }: Library, { files, redirects }: Served): ContentFault[] {
  return [...missingSitePictures(site, files), ...redirects.faults, ...unusablePictures(attachments.values())]
}

/** The paths of all posts and pages. `pages/index.md` is the start of the home page. */
export async function documentAddresses({ posts, pages }: Library): Promise<FileAddresses> {
  return new Map([
    ...(await mapInBackground(posts, ({ file, slug }) => [file, `/blog/${slug}`] as const)),
    ...pages.map(({ file, slug }) => [file, slug === 'index' ? '/' : `/${slug}`] as const),
  ])
}

const ICONS = ['/favicon.svg', '/favicon.png', '/favicon.ico']

/** The icon of the content folder, if it has one. Otherwise `/favicon.svg` is generated. */
export function ownIconOf(attachments: Library['attachments']): string | undefined {
  return ICONS.find((path) => attachments.has(path))
}
