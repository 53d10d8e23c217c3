import { type Attachment, addressOf, readAttachment } from './attachment.ts'
import { type Document, readDocument } from './document.ts'
import { ContentFault } from './fault.ts'
import { inspectFile, isMissing, listFolder } from './folder.ts'
import { plainText } from './plain-text.ts'
import { DEFAULT_SITE, readSite, type Site } from './site.ts'

export interface Post extends Document {
  date: Date
  modified: Date
}

export interface Page extends Document {
  modified: Date
}

/** Everything in the content folder, as it was read. */
export interface Library {
  /** False when there is no folder at all. */
  exists: boolean
  site: Site
  /** Newest first, drafts and future ones included. */
  posts: Post[]
  pages: Page[]
  /** By their addresses. */
  attachments: Map<string, Attachment>
  faults: ContentFault[]
}

/** Reads the folder. What has not changed, or cannot be read any more, is taken from what was read before. */
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
  faults.push(...files.filter((file) => !isListedText(file) && LOOKS_READABLE.test(file)).map(misplaced))

  // The oldest one had the address first: what is yet to come does not take it away.
  posts.sort((a, b) => a.date.valueOf() - b.date.valueOf() || b.slug.localeCompare(a.slug))
  return {
    exists: listed !== undefined,
    site: site ?? (isListed('site.yaml') ? before?.site : undefined) ?? DEFAULT_SITE,
    posts: withoutTwins(posts, '/blog/', note).reverse(),
    pages: withoutTwins(pages, '/', note),
    attachments: new Map(attachments.flat().map((attachment) => [attachment.address, attachment])),
    faults,
  }

  function isListed(file: string): boolean {
    return files.includes(file)
  }

  function readTexts<T>(some: string[], read: (file: string, text: string, modified: Date) => T): Promise<T[]> {
    return readAll(some, async (file) => {
      const found = await inspectFile(folder, file)
      return read(file, decode(file, await found.read()), found.modified)
    })
  }

  /** Reads what can be read; a faulty file is noted and left out. */
  async function readAll<T>(some: string[], read: (file: string) => Promise<T>): Promise<T[]> {
    const results: T[] = []
    // One by one: a process may not have many files open.
    for (const file of some) {
      try {
        results.push(await read(file))
      } catch (error) {
        // A file that is gone by now was not listed to be read.
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
const isPage = (file: string) => /^pages\/[^/]+\.md$/.test(file)
const isListedText = (file: string) => file === 'site.yaml' || isPost(file) || isPage(file)
const LOOKS_READABLE = /\.(md|mdx|markdown|ya?ml)$/i

function misplaced(file: string): ContentFault {
  return new ContentFault(
    file,
    1,
    'is not read: posts are posts/*.md, pages are pages/*.md, the settings are site.yaml',
  )
}

function decode(file: string, bytes: Buffer): string {
  try {
    return plainText(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ContentFault(file, 1, 'must be text in UTF-8')
  }
}

/** Each address once. A draft has none yet. */
function withoutTwins<T extends Document>(documents: T[], under: string, note: (fault: ContentFault) => void): T[] {
  const files = new Map<string, string>()
  return documents.filter(({ file, slug, isDraft }) => {
    if (isDraft) return true
    const other = files.get(slug)
    if (other) note(new ContentFault(file, 1, `has the address ${under}${slug}, like ${other}`))
    else files.set(slug, file)
    return !other
  })
}
