import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { ContentFault } from './fault.ts'

const PARTS = ['posts', 'pages', 'images']
// Published files are kept in memory.
const MAX_FILE_BYTES = 10 * 1024 * 1024

/**
 * Lists the files of the content folder, such as posts/first.md, without hidden ones. Undefined if there is no folder.
 */
export async function listFolder(folder: string): Promise<string[] | undefined> {
  const top = await readdir(folder, { withFileTypes: true }).catch(ifMissing(undefined))
  if (!top) return undefined
  const below = await Promise.all(
    PARTS.map((part) =>
      readdir(join(folder, part), { recursive: true, withFileTypes: true }).catch(ifMissing([] as typeof top)),
    ),
  )
  return [...top, ...below.flat()]
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .filter((file) => !isHidden(file) && !PARTS.includes(file))
    .sort()
}

/** Whether a change of this file may change the site. */
export function mayBePublished(file: string): boolean {
  return !isHidden(file) && [...PARTS, 'site.yaml', 'favicon.'].some((start) => file.startsWith(start))
}

function isHidden(file: string): boolean {
  return /(^|[/\\])\./.test(file)
}

/**
 * Resolves symbolic links and checks type and size of a file before it is read. Throws a ContentFault if the file must
 * not be published. `modified` and `size` tell whether the file has changed.
 */
export async function inspectFile(folder: string, file: string) {
  const path = await realpath(join(folder, file))
  // Write access to this folder must not be enough to publish files from outside it.
  if (!path.startsWith((await realpath(folder)) + sep)) {
    throw new ContentFault(file, 1, 'is a link that leads out of the content folder')
  }
  const stats = await stat(path)
  // Reading from a named pipe would block until another process writes to it.
  if (!stats.isFile()) throw new ContentFault(file, 1, 'is no file')
  if (stats.size > MAX_FILE_BYTES) throw new ContentFault(file, 1, 'is larger than 10 MiB')
  return { modified: stats.mtime, size: stats.size, read: () => readFile(path) }
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
