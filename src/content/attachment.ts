import { extname } from 'node:path'
import { lookAt } from './folder.ts'

/** A picture or another file that is published as it is. */
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
 * Where a file of the folder is published, or undefined if it is none of these. Beside a post or a page means the same in
 * the folder as on the site, so that an address relative to the text is right in an editor, on the page and in its markdown.
 */
export function addressOf(file: string): string | undefined {
  if (!typeOf(file)) return undefined
  if (/^favicon\.(svg|png|ico)$/.test(file)) return `/${file}`
  if (!/^(images\/|posts\/|pages\/[^/]+$)/.test(file)) return undefined
  return encodeURI(`/${file}`.replace(/^\/posts\//, '/blog/').replace(/^\/pages\//, '/'))
}

/** Reads the file, unless it is the one that was read before. */
export async function readAttachment(
  folder: string,
  file: string,
  address: string,
  before: Attachment | undefined,
): Promise<Attachment> {
  const { modified, size, read } = await lookAt(folder, file)
  if (before?.modified.valueOf() === modified.valueOf() && before.bytes.length === size) return before
  return { file, address, type: typeOf(file) ?? '', modified, bytes: await read() }
}

/** Whether a file of this name is one that would be published as it is. */
export function isAttachment(file: string): boolean {
  return typeOf(file) !== undefined
}

function typeOf(file: string): string | undefined {
  return TYPES.get(extname(file).toLowerCase())
}
