import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Document, readDocument } from './document.ts'
import { ContentFault } from './fault.ts'
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
  site: Site
  /** Newest first, drafts and future ones included. */
  posts: Post[]
  pages: Page[]
  faults: ContentFault[]
}

export async function readLibrary(folder: string): Promise<Library> {
  const faults: ContentFault[] = []
  const [site = DEFAULT_SITE] = await readFiles(folder, ['site.yaml'], faults, readSite)
  const posts = await readFiles(folder, await markdownIn(folder, 'posts'), faults, (file, text, modified) => {
    const document = readDocument(file, text, { needsDate: true })
    return { ...document, date: document.date ?? modified, modified: document.updated ?? document.date ?? modified }
  })
  const pages = await readFiles(folder, await markdownIn(folder, 'pages'), faults, (file, text, modified) => {
    const document = readDocument(file, text, { needsDate: false })
    return { ...document, modified: document.updated ?? document.date ?? modified }
  })
  posts.sort((a, b) => b.date.valueOf() - a.date.valueOf() || a.slug.localeCompare(b.slug))
  return { site, posts: withoutTwins(posts, faults), pages: withoutTwins(pages, faults), faults }
}

async function markdownIn(folder: string, part: string): Promise<string[]> {
  const names = await readdir(join(folder, part)).catch(() => [])
  return names
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${part}/${name}`)
}

/** Reads what can be read; a faulty file is noted and left out. */
async function readFiles<T>(
  folder: string,
  files: string[],
  faults: ContentFault[],
  read: (file: string, text: string, modified: Date) => T,
): Promise<T[]> {
  const results = await Promise.all(
    files.map(async (file) => {
      try {
        const path = join(folder, file)
        const bytes = await readFile(path)
        return [read(file, decode(file, bytes), (await stat(path)).mtime)]
      } catch (error) {
        if (error instanceof ContentFault) faults.push(error)
        else if (!isMissing(error)) faults.push(new ContentFault(file, 1, 'cannot be read'))
        return []
      }
    }),
  )
  return results.flat()
}

function decode(file: string, bytes: Buffer): string {
  try {
    return plainText(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ContentFault(file, 1, 'must be text in UTF-8')
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function withoutTwins<T extends Document>(documents: T[], faults: ContentFault[]): T[] {
  const seen = new Set<string>()
  return documents.filter(({ file, slug }) => {
    if (seen.has(slug)) faults.push(new ContentFault(file, 1, 'another file has the same address'))
    return !seen.has(slug) && seen.add(slug)
  })
}
