import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { ContentFault } from './fault.ts'

const PARTS = ['posts', 'pages', 'images']

/** The files of the content folder, such as posts/first.md, without hidden ones. Undefined when there is no folder. */
export async function listFolder(folder: string): Promise<string[] | undefined> {
  const top = await readdir(folder, { withFileTypes: true }).catch(() => undefined)
  if (!top) return undefined
  const below = await Promise.all(
    PARTS.map((part) => readdir(join(folder, part), { recursive: true, withFileTypes: true }).catch(() => [])),
  )
  return [...top, ...below.flat()]
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .filter((file) => !/(^|\/)\./.test(file) && !PARTS.includes(file))
    .sort()
}

/** What is to be known of a file before it is read: where it really is, and what changes when it does. */
export async function lookAt(folder: string, file: string) {
  const path = await realpath(join(folder, file))
  // Whoever may write here may not thereby publish what is elsewhere.
  if (!path.startsWith((await realpath(folder)) + sep)) {
    throw new ContentFault(file, 1, 'is a link that leads out of the content folder')
  }
  const { mtime, size } = await stat(path)
  return { modified: mtime, size, read: () => readFile(path) }
}
