import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { ContentFault } from './fault.ts'

const PARTS = ['posts', 'pages', 'images']
// What is published is kept in memory, ready to be sent.
const MAX_FILE_BYTES = 10 * 1024 * 1024

/** The files of the content folder, such as posts/first.md, without hidden ones. Undefined when there is no folder. */
export async function listFolder(folder: string): Promise<string[] | undefined> {
  const top = await readdir(folder, { withFileTypes: true }).catch(whenMissing(undefined))
  if (!top) return undefined
  const below = await Promise.all(
    PARTS.map((part) =>
      readdir(join(folder, part), { recursive: true, withFileTypes: true }).catch(whenMissing([] as typeof top)),
    ),
  )
  return [...top, ...below.flat()]
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .filter((file) => !isHidden(file) && !PARTS.includes(file))
    .sort()
}

/** Whether a change of this file may be one of the site. */
export function mayBePublished(file: string): boolean {
  return !isHidden(file) && [...PARTS, 'site.yaml', 'favicon.'].some((start) => file.startsWith(start))
}

function isHidden(file: string): boolean {
  return /(^|[/\\])\./.test(file)
}

/** What is to be known of a file before it is read: where it really is, and what changes when it does. */
export async function lookAt(folder: string, file: string) {
  const path = await realpath(join(folder, file))
  // Whoever may write here may not thereby publish what is elsewhere.
  if (!path.startsWith((await realpath(folder)) + sep)) {
    throw new ContentFault(file, 1, 'is a link that leads out of the content folder')
  }
  const found = await stat(path)
  // Whoever reads from a pipe waits until somebody writes.
  if (!found.isFile()) throw new ContentFault(file, 1, 'is no file')
  if (found.size > MAX_FILE_BYTES) throw new ContentFault(file, 1, 'is larger than 10 MiB')
  return { modified: found.mtime, size: found.size, read: () => readFile(path) }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

/** A folder that cannot be read may have been one a moment ago: only what is not there is nothing. */
function whenMissing<T>(instead: T) {
  return (error: unknown): T => {
    if (isMissing(error)) return instead
    throw error
  }
}
