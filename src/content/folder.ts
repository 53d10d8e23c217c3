import { lstat, readdir, readFile, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { ContentFault } from './fault.ts'

const PARTS = ['posts', 'pages', 'images']
// A file is read at once.
export const MAX_FILE_BYTES = 10 * 1024 * 1024

export interface ListedFile {
  /** Relative to the content folder. */
  file: string
  /** Whether the file, or the part of the content folder that has it, is a symbolic link. */
  isLink: boolean
}

/**
 * Lists the files of the content folder, such as posts/first.md, without hidden ones. Undefined if there is no folder.
 */
export async function listFolder(folder: string): Promise<ListedFile[] | undefined> {
  const top = await readdir(folder, { withFileTypes: true }).catch(ifMissing(undefined))
  if (!top) return undefined
  const below = await Promise.all(
    PARTS.map((part) =>
      readdir(join(folder, part), { recursive: true, withFileTypes: true }).catch(ifMissing([] as typeof top)),
    ),
  )
  const links = new Set(top.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name))
  const prefixes = new Map<string, string>()
  return [...top, ...below.flat()]
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => {
      const prefix = prefixes.get(entry.parentPath) ?? prefixOf(entry.parentPath)
      prefixes.set(entry.parentPath, prefix)
      const file = prefix + entry.name
      // `readdir` follows a link that is one of the PARTS, and no link below it.
      return { file, isLink: entry.isSymbolicLink() || links.has(file.split('/', 1)[0] ?? '') }
    })
    .filter(({ file }) => !isHidden(file) && !PARTS.includes(file))
    .sort((a, b) => (a.file < b.file ? -1 : 1))

  function prefixOf(parent: string): string {
    const path = relative(folder, parent).replaceAll(sep, '/')
    return path && `${path}/`
  }
}

/** Whether a change of this file may change the site. */
export function mayBePublished(file: string): boolean {
  return !isHidden(file) && [...PARTS, 'site.yaml', 'site.css', 'favicon.'].some((start) => file.startsWith(start))
}

function isHidden(file: string): boolean {
  return /(^|[/\\])\./.test(file)
}

/**
 * Checks type and size of a file before it is read. Throws a ContentFault if the file must not be published. `modified`
 * and `size` tell whether the file has changed.
 */
export async function inspectFile(folder: string, { file, isLink }: ListedFile) {
  const path = isLink ? await linkTarget(folder, file) : join(folder, file)
  const stats = await lstat(path)
  // Reading from a named pipe would block until another process writes to it.
  if (!stats.isFile()) throw new ContentFault(file, 1, 'is no file')
  if (stats.size > MAX_FILE_BYTES) throw new ContentFault(file, 1, 'is larger than 10 MiB')
  return { path, modified: stats.mtime, size: stats.size, read: () => readFile(path) }
}

/** Write access to the content folder must not be enough to publish files from outside it. */
async function linkTarget(folder: string, file: string): Promise<string> {
  const path = await realpath(join(folder, file))
  if (path.startsWith((await realpath(folder)) + sep)) return path
  throw new ContentFault(file, 1, 'is a link that leads out of the content folder')
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

/** Maps ENOENT and ENOTDIR to `instead`. Other errors, such as EACCES, do not mean that the folder is empty. */
function ifMissing<T>(instead: T) {
  return (error: unknown): T => {
    if (isMissing(error)) return instead
    throw error
  }
}
