import { extname } from 'node:path'
import { inspectFile, type ListedFile } from './folder.ts'
import { isAddressName, isReserved, pageFolders } from './page-paths.ts'

/** A picture or another file that is published unchanged. */
export interface Attachment {
  file: string
  address: string
  type: string
  modified: Date
  bytes: Buffer
}

const TYPES = new Map([
  ['.avif', 'image/avif'],
  ['.gif', 'image/gif'],
  ['.ico', 'image/x-icon'],
  ['.jpeg', 'image/jpeg'],
  ['.jpg', 'image/jpeg'],
  ['.pdf', 'application/pdf'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.webp', 'image/webp'],
])

/**
 * The path at which a file of the content folder is published, or undefined if it is not published. A file beside a
 * post or a page is published beside it, so a relative address works in an editor, on the page and in the page's
 * markdown.
 */
export function addressOf(file: string): string | undefined {
  if (!typeOf(file)) return undefined
  if (/^favicon\.(svg|png|ico)$/.test(file)) return `/${file}`
  if (!/^(images|posts)\//.test(file) && !isBesidePage(file)) return undefined
  return encodeURI(`/${file}`.replace(/^\/posts\//, '/blog/').replace(/^\/pages\//, '/'))
}

/** Whether the address of the file is free for it, and valid like those of the pages in its folder. */
function isBesidePage(file: string): boolean {
  const folders = pageFolders(file)
  return file.startsWith('pages/') && folders.every(isAddressName) && !isReserved([...folders, 'file'].join('/'))
}

/** Reads the file. Returns `before` if modification time and size are unchanged. */
export async function readAttachment(
  folder: string,
  listed: ListedFile,
  address: string,
  before: Attachment | undefined,
): Promise<Attachment> {
  const { modified, size, read } = await inspectFile(folder, listed)
  if (before?.modified.valueOf() === modified.valueOf() && before.bytes.length === size) return before
  return { file: listed.file, address, type: typeOf(listed.file) ?? '', modified, bytes: await read() }
}

/** Whether files with this extension are published unchanged. */
export function isAttachment(file: string): boolean {
  return typeOf(file) !== undefined
}

function typeOf(file: string): string | undefined {
  return TYPES.get(extname(file).toLowerCase())
}
