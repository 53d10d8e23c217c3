import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { printable } from '../lib/printable.ts'
import { readLibrary } from './library.ts'
import { slugOf, whyNoSlug } from './page-paths.ts'
import { plainText } from './plain-text.ts'

interface NewDocument {
  kind: 'post' | 'page'
  title: string
  /** The last part of the address. Made from the title if undefined. */
  slug: string | undefined
  isDraft: boolean
  now: Date
}

// A file name has at most 255 bytes on most file systems.
const MAX_SLUG_CHARACTERS = 80
// The last number that is tried for a file name such as post-2.md.
const MAX_NUMBER = 1000

/** A document that cannot be created, with a message for its author. */
export class NotCreated extends Error {}

/**
 * Creates the file of a post or page of a site with its front matter, and never replaces one. Returns the file,
 * relative to the content folder, its path on the site, and whether the name of the file has a number in place of the
 * title.
 */
export async function createDocument(
  folder: string,
  { kind, title, slug, isDraft, now }: NewDocument,
): Promise<{ file: string; path: string; isNumbered: boolean }> {
  const cleanTitle = printable(plainText(title)).replace(/\s+/g, ' ').trim()
  if (!cleanTitle) throw new NotCreated('The title is empty.')
  const { posts, pages, texts } = await readLibrary(folder)
  // A folder without it may be that of something else.
  if (!texts.has('site.yaml'))
    throw new NotCreated(
      `There is no site: ${folder} (CONTENT_DIR) has no site.yaml. "portico init FOLDER" creates a site in a new folder.`,
    )
  const taken = new Map((kind === 'post' ? posts : pages).map(({ slug, file }) => [slug, file]))
  const ownSlug = slug ?? shortened(slugOf(cleanTitle))
  const free = ownSlug || firstFree(kind, taken)
  const problem = whyNoSlug(kind, free)
  if (problem) throw new NotCreated(`${problem}. Choose another with --slug.`)
  const other = taken.get(free)
  if (other) throw new NotCreated(`${other} has the address of this ${kind} already. Choose another with --slug.`)

  const day = now.toISOString().slice(0, 10)
  const fields = { title: cleanTitle, ...(kind === 'post' && { date: day }), ...(isDraft && { draft: true }) }
  const file = kind === 'post' ? `posts/${day}-${free}.md` : `pages/${free}.md`
  await mkdir(dirname(join(folder, file)), { recursive: true })
  // With the flag wx, an existing file is an error (O_EXCL).
  await writeFile(join(folder, file), `---\n${stringify(fields, { lineWidth: 0 })}---\n\n`, { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new NotCreated(`${file} exists already.`) : error
    },
  )
  const path = kind === 'post' ? `/blog/${free}` : free === 'index' ? '/' : `/${free}`
  return { file, path, isNumbered: !ownSlug }
}

function shortened(slug: string): string {
  return slug.slice(0, MAX_SLUG_CHARACTERS).replace(/-$/, '')
}

/** A slug for a title without letters of ASCII and digits: post, post-2, post-3. */
function firstFree(kind: string, taken: Map<string, string>): string {
  const numbers = Array.from({ length: MAX_NUMBER }, (_, index) => (index === 0 ? kind : `${kind}-${index + 1}`))
  return numbers.find((slug) => !taken.has(slug)) ?? kind
}
