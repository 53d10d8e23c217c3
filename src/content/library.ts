import { yieldToRequests } from '../lib/cooperative-scheduling.ts'
import { mapConcurrently } from '../lib/map-concurrently.ts'
import { sharedIfEmpty } from '../lib/shared-empty-list.ts'
import type { PictureIndex } from '../pictures/picture-index.ts'
import { type Attachment, addressOf, readAttachment, unusableNames, withNewestMetadata } from './attachment.ts'
import { type Document, readDocument } from './document.ts'
import { ignoredFieldsFault } from './engine-fields.ts'
import { ContentFault } from './fault.ts'
import { inspectFile, isMissing, type ListedFile, listFolder } from './folder.ts'
import { OWN_STYLES_FILE, readOwnStyles } from './own-styles.ts'
import { plainText } from './plain-text.ts'
import { sectionFaults } from './sections.ts'
import { DEFAULT_SITE, readSite, type Site } from './site.ts'
import { withYamlFrontMatter } from './toml-front-matter.ts'

export interface Post extends Document {
  date: Date
  modified: Date
}

export interface Page extends Document {
  modified: Date
}

// Limits the time that one document takes to be rendered.
const MAX_TEXT_BYTES = 1024 * 1024
// More than the four threads of libuv's pool, so that a thread always has a file to read.
const MAX_OPEN_FILES = 8

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
  /** The text of `site.css`, or empty. */
  ownStyles: string
  faults: ContentFault[]
  /** The documents and `site.yaml`, by file. Unchanged files are not read again. */
  texts: Map<string, ReadText>
}

/**
 * A document or `site.yaml` as it was read. `value` is undefined if the file has a fault that prevents its publication.
 */
interface ReadText {
  file: string
  modified: Date
  size: number
  value: unknown
  faults: ContentFault[]
}

/**
 * Reads the folder. Unchanged files, and the settings of an invalid `site.yaml`, are taken from `before`. If `changed`
 * is given, only these files and folders can have changed since then. `pictures` has what is known about files.
 */
export async function readLibrary(
  folder: string,
  before?: Library,
  changed?: ReadonlySet<string>,
  pictures?: Pick<PictureIndex, 'find' | 'set'>,
): Promise<Library> {
  const faults: ContentFault[] = []
  const texts = new Map<string, ReadText>()
  const listed = await listFolder(folder)
  if (!listed && before?.exists) throw new Error(`the content folder ${folder} is gone`)
  await yieldToRequests()
  const files = new Map((listed ?? []).map((entry) => [entry.file, entry]))
  // The name of a folder among the changes does not tell which of its files have changed.
  const isName = (file: string) =>
    files.has(file) || before?.texts.has(file) || before?.attachments.has(addressOf(file) ?? '')
  const hasNames = changed && [...changed].every(isName)
  const isUnchanged = (file: string) => hasNames === true && !changed.has(file)

  const [site] = await readTexts(
    ({ file }) => file === 'site.yaml',
    (file, text, _modified, note) => readSite(file, text, before?.site ?? DEFAULT_SITE, note),
  )
  const [ownStyles = ''] = await readTexts(
    ({ file }) => file === OWN_STYLES_FILE,
    (file, text, _modified, note) => readOwnStyles(file, text, note),
  )
  const posts = await readTexts(isPost, (file, text, modified, note): Post => {
    const post = readDocument('post', file, text, note)
    return { ...post, date: post.date ?? modified, modified: post.updated ?? post.date ?? modified }
  })
  const pages = await readTexts(isPage, (file, text, modified, note): Page => {
    const page = readDocument('page', file, text, note)
    return { ...page, modified: page.updated ?? page.date ?? modified }
  })
  const attachments = await readAll(
    ({ file }) => addressOf(file) !== undefined,
    ({ file }) => {
      const known = before?.attachments.get(addressOf(file) ?? '')
      return known?.file === file ? withNewestMetadata(known, pictures) : undefined
    },
    (entry) => readAttachment(folder, entry, addressOf(entry.file) ?? '', pictures),
  )
  await yieldToRequests()
  const others = [...files.keys()].filter((file) => !isReadText({ file }) && TEXT_EXTENSIONS.test(file))
  faults.push(...others.map(misplaced), ...unusableNames([...files.keys()]))

  const ownSite = site ?? (files.has('site.yaml') ? before?.site : undefined) ?? DEFAULT_SITE
  faults.push(...sectionFaults(ownSite.sections, pages, (file) => files.has(file)))
  faults.push(...ignoredFieldsFault([...posts, ...pages]))

  await yieldToRequests()
  // Oldest first: of two posts with the same slug, the older one keeps the address.
  posts.sort((a, b) => a.date.valueOf() - b.date.valueOf() || Number(a.slug < b.slug) - Number(a.slug > b.slug))
  return {
    exists: listed !== undefined,
    site: ownSite,
    posts: withoutDuplicates(posts, '/blog/', (fault) => faults.push(fault)).reverse(),
    pages: withoutDuplicates(pages, '/', (fault) => faults.push(fault)),
    ownStyles,
    attachments: new Map(attachments.map((attachment) => [attachment.address, attachment])),
    faults,
    texts,
  }

  async function readTexts<T>(
    isWanted: (entry: ListedFile) => boolean,
    parse: (file: string, text: string, modified: Date, note: (fault: ContentFault) => void) => T,
  ): Promise<T[]> {
    const results = await readAll(
      isWanted,
      ({ file }) => before?.texts.get(file),
      (entry) => readText(entry, parse),
    )
    const values: T[] = []
    for (const text of results) {
      texts.set(text.file, text)
      faults.push(...text.faults)
      if (text.value !== undefined) values.push(text.value as T)
    }
    return values
  }

  async function readText(
    entry: ListedFile,
    parse: (file: string, text: string, modified: Date, note: (fault: ContentFault) => void) => unknown,
  ): Promise<ReadText> {
    const { file } = entry
    const known = before?.texts.get(file)
    const { modified, size, read } = await inspectFile(folder, entry)
    const isSame = known?.modified.valueOf() === modified.valueOf() && known.size === size
    if (isSame && !changed?.has(file)) return known
    const faults: ContentFault[] = []
    let value: unknown
    try {
      if (size > MAX_TEXT_BYTES) throw new ContentFault(file, 1, 'is larger than 1 MiB')
      const text = await withYamlFrontMatter(file, decode(file, await read()))
      value = parse(file, text, modified, (fault) => faults.push(fault))
    } catch (error) {
      if (!(error instanceof ContentFault)) throw error
      faults.push(error)
    }
    return { file, modified, size, value, faults: sharedIfEmpty(faults) }
  }

  /** Reads the files, but for unchanged ones that are known. A file that fails is left out and reported as a fault. */
  async function readAll<T>(
    isWanted: (entry: ListedFile) => boolean,
    known: (entry: ListedFile) => T | undefined,
    read: (entry: ListedFile) => Promise<T>,
  ): Promise<T[]> {
    const wanted = [...files.values()].filter(isWanted)
    const values = wanted.map((entry) => (isUnchanged(entry.file) ? known(entry) : undefined))
    const unknown = wanted.flatMap((entry, place) => (values[place] === undefined ? [{ entry, place }] : []))
    const found = await mapConcurrently(unknown, MAX_OPEN_FILES, async ({ entry, place }) => {
      try {
        values[place] = await read(entry)
        return []
      } catch (error) {
        return readFaults(entry, error)
      }
    })
    // Faults are in file order, not in the order of completion.
    faults.push(...found.flat())
    return values.filter((value) => value !== undefined)
  }
}

/** A file that was deleted after it was listed is not a fault. */
function readFaults({ file }: ListedFile, error: unknown): ContentFault[] {
  if (isMissing(error)) return []
  return [error instanceof ContentFault ? error : new ContentFault(file, 1, 'cannot be read')]
}

/** The library with the newest facts about pictures, such as their sizes. The folder is not read. */
export function withPictureFacts(library: Library, pictures: Pick<PictureIndex, 'find'>): Library {
  const attachments = [...library.attachments].map(
    ([address, attachment]) => [address, withNewestMetadata(attachment, pictures)] as const,
  )
  return { ...library, attachments: new Map(attachments) }
}

export function isPublic({ isDraft, date }: Document, now: Date): boolean {
  // A comparison of dates by `<=` takes ten times as long.
  return !isDraft && (date === undefined || date.getTime() <= now.getTime())
}

const isPost = ({ file }: { file: string }) => /^posts\/[^/]+\.md$/.test(file)
// An address has three names at most.
const isPage = ({ file }: { file: string }) => /^pages\/(?:[^/]+\/){0,2}[^/]+\.md$/.test(file)
const isReadText = (entry: { file: string }) => entry.file === 'site.yaml' || isPost(entry) || isPage(entry)
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
  return documents.filter(({ file, slug, slugLine, isDraft }) => {
    if (isDraft) return true
    const other = files.get(slug)
    if (other) note(new ContentFault(file, slugLine, `has the address ${under}${slug}, like ${other}`))
    else files.set(slug, file)
    return !other
  })
}
