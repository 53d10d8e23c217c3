import { mapInBackground } from '../lib/cooperative-scheduling.ts'
import type { Document } from './document.ts'
import { ContentFault } from './fault.ts'
import type { Library } from './library.ts'
import { styleAddresses } from './own-styles.ts'
import type { CheckedMetadata } from './serialized-metadata.ts'

type UsingDocument = Pick<CheckedMetadata, 'pictures' | 'links' | 'warnings'> &
  Pick<Document, 'file' | 'firstLine' | 'image'> & { path: string }

/** Content that works but is probably a mistake. */
export interface ContentWarnings {
  /**
   * Records the files that a document refers to, and its doubtful markup. Called for every document, also for those
   * that are not public.
   */
  recordUsage(document: UsingDocument): void
  /**
   * Documents with the same title, files that no document, no setting of the site and no style sheet refers to, and
   * doubtful markup. Background work.
   */
  warnings(signal?: AbortSignal): Promise<ContentFault[]>
}

export function findWarnings(library: Library, baseUrl: string): ContentWarnings {
  const { attachments, site, ownStyles } = library
  const { origin } = new URL(baseUrl)
  const used = new Set<string>()
  const inDocuments: ContentFault[] = []
  const use = (address: string, page: string) => {
    const url = URL.parse(address, page)
    if (url?.origin === origin) used.add(url.pathname)
  }
  for (const picture of [site.logo, site.portrait]) if (picture) use(picture.address, baseUrl)
  for (const { url } of [...site.navigation, ...site.links]) use(url, baseUrl)
  for (const { to } of site.redirects) use(to, baseUrl)
  // Relative addresses of a style sheet are relative to its own address.
  for (const address of styleAddresses(ownStyles)) use(address, `${baseUrl}/assets/`)

  return {
    recordUsage({ file, firstLine, pictures, links, warnings, image, path }) {
      for (const { address } of [...pictures, ...links]) use(address, baseUrl + path)
      if (image) use(image.address, baseUrl + path)
      for (const { line, problem } of warnings) inDocuments.push(new ContentFault(file, firstLine - 1 + line, problem))
    },
    async warnings(signal) {
      // Icons are found by their names.
      const unused = attachments
        .values()
        .filter(({ file, address }) => !file.startsWith('favicon.') && !used.has(address))
        .map(({ file }) => new ContentFault(file, 1, 'is used by no post and no page'))
      return [...(await sameTitles(library, signal)), ...unused, ...inDocuments]
    },
  }
}

async function sameTitles({ posts, pages }: Library, signal: AbortSignal | undefined): Promise<ContentFault[]> {
  const files = new Map<string, string>()
  const faults = await mapInBackground(
    [...posts.toReversed(), ...pages],
    ({ file, title }) => {
      const key = title.normalize('NFKC').toLowerCase()
      const other = files.get(key)
      if (!other) files.set(key, file)
      return other && title ? [new ContentFault(file, 1, `has the same title as ${other}`)] : []
    },
    signal,
  )
  return faults.flat()
}
