import { type Attachment, addressOf, readAttachment } from './attachment.ts'
import { type Document, readDocument } from './document.ts'
import { ContentFault } from './fault.ts'
import { inspectFile, isMissing, listFolder } from './folder.ts'
import { plainText } from './plain-text.ts'
import { sectionFaults } from './sections.ts'
import { DEFAULT_SITE, readSite, type Site } from './site.ts'

export interface Post extends Document {
  date: Date
  modified: Date
}

export interface Page extends Document {
  modified: Date
}

/** The parsed content folder. */
export interface Library {
  /** False if there is no folder. */
  exists: boolean
  site: Site
  /** Newest first, with drafts and posts dated in the future. */
  posts: Post[]
  pages: Page[]
  /** By path. */
  attachments: Map<string, Attachment>
  faults: ContentFault[]
}

/** Reads the folder. Unchanged attachments and an invalid `site.yaml` are taken from `before`. */
export async function readLibrary(folder: string, before?: Library): Promise<Library> {
  const faults: ContentFault[] = []
  const note = (fault: ContentFault) => faults.push(fault)
  const listed = await listFolder(folder)
  if (!listed && before?.exists) throw new Error(`the content folder ${folder} is gone`)
  const files = listed ?? []

  const [site] = await readTexts(['site.yaml'].filter(isListed), (file, text) =>
    readSite(file, text, before?.site ?? DEFAULT_SITE, note),
  )
  const posts = await readTexts(files.filter(isPost), (file, text, modified) => {
    const post = readDocument('post', file, text, note)
    return { ...post, date: post.date ?? modified, modified: post.updated ?? post.date ?? modified }
  })
  const pages = await readTexts(files.filter(isPage), (file, text, modified) => {
    const page = readDocument('page', file, text, note)
    return { ...page, modified: page.updated ?? page.date ?? modified }
  })
  const attachments = await readAll(files, async (file) => {
    const address = addressOf(file)
    return address ? [await readAttachment(folder, file, address, before?.attachments.get(address))] : []
  })
  faults.push(...files.filter((file) => !isReadText(file) && TEXT_EXTENSIONS.test(file)).map(misplaced))

  const ownSite = site ?? (isListed('site.yaml') ? before?.site : undefined) ?? DEFAULT_SITE
  faults.push(...sectionFaults(ownSite.sections, pages, isListed))

  // Oldest first: of two posts with the same slug, the older one keeps the address.
  posts.sort((a, b) => a.date.valueOf() - b.date.valueOf() || b.slug.localeCompare(a.slug))
  return {
    exists: listed !== undefined,
    site: ownSite,
    posts: withoutDuplicates(posts, '/blog/', note).reverse(),
    pages: withoutDuplicates(pages, '/', note),
    attachments: new Map(attachments.flat().map((attachment) => [attachment.address, attachment])),
    faults,
  }

  function isListed(file: string): boolean {
    return files.includes(file)
  }

  function readTexts<T>(some: string[], read: (file: string, text: string, modified: Date) => T): Promise<T[]> {
    return readAll(some, async (file) => {
      const { read: readBytes, modified } = await inspectFile(folder, file)
      return read(file, decode(file, await readBytes()), modified)
    })
  }

  /** Reads the files. A file that fails is left out and reported as a fault. */
  async function readAll<T>(some: string[], read: (file: string) => Promise<T>): Promise<T[]> {
    const results: T[] = []
    // One at a time, which limits the number of open files.
    for (const file of some) {
      try {
        results.push(await read(file))
      } catch (error) {
        // A file that was deleted after it was listed is not a fault.
        if (!isMissing(error)) note(error instanceof ContentFault ? error : new ContentFault(file, 1, 'cannot be read'))
      }
    }
    return results
  }
}

export function isPublic({ isDraft, date }: Document, now: Date): boolean {
  return !isDraft && (date === undefined || date <= now)
}

const isPost = (file: string) => /^posts\/[^/]+\.md$/.test(file)
// An address has three names at most.
const isPage = (file: string) => /^pages\/(?:[^/]+\/){0,2}[^/]+\.md$/.test(file)
const isReadText = (file: string) => file === 'site.yaml' || isPost(file) || isPage(file)
const TEXT_EXTENSIONS = /\.(md|mdx|markdown|ya?ml)$/i

function misplaced(file: string): ContentFault {
  return new ContentFault(
    file,
    1,
    'is not read: posts are posts/*.md, pages are pages/*.md or in at most two folders there, the settings are site.yaml',
  )
}

function decode(file: string, bytes: Buffer): string {
  try {
    return plainText(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ContentFault(file, 1, 'must be text in UTF-8')
  }
}

/** Removes documents with the slug of an earlier document. Drafts have no address yet, so they are kept. */
function withoutDuplicates<T extends Document>(
  documents: T[],
  under: string,
  note: (fault: ContentFault) => void,
): T[] {
  const files = new Map<string, string>()
  return documents.filter(({ file, slug, isDraft }) => {
    if (isDraft) return true
    const other = files.get(slug)
    if (other) note(new ContentFault(file, 1, `has the address ${under}${slug}, like ${other}`))
    else files.set(slug, file)
    return !other
  })
}
