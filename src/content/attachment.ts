import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import type { PictureFile, PictureHeader } from '../pictures/picture-facts.ts'
import { readPictureHeader } from '../pictures/picture-header.ts'
import type { PictureFacts, PictureIndex } from '../pictures/picture-index.ts'
import { ContentFault } from './fault.ts'
import { inspectFile, type ListedFile } from './folder.ts'
import { isAddressName, isReserved, pageFolders } from './page-paths.ts'

/** A picture or another file that is published unchanged. */
export interface Attachment extends PictureFile {
  address: string
  type: string
  /** Undefined for a file that is no picture. */
  header: PictureHeader | undefined
  /** Why the file is sent as it is, although it is a picture. */
  problem: string | undefined
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
  ['.woff2', 'font/woff2'],
])

// They end the path of a URL (RFC 3986, section 3.3).
const NOT_IN_PATHS = /[#?]/

/**
 * The path at which a file of the content folder is published, or undefined if it is not published. A file beside a
 * post or a page is published beside it, so a relative address works in an editor, on the page and in the page's
 * markdown.
 */
export function addressOf(file: string): string | undefined {
  if (!typeOf(file) || NOT_IN_PATHS.test(file)) return undefined
  if (/^favicon\.(svg|png|ico)$/.test(file)) return `/${file}`
  if (!/^(images|posts)\//.test(file) && !isBesidePage(file)) return undefined
  return encodeURI(`/${file}`.replace(/^\/posts\//, '/blog/').replace(/^\/pages\//, '/'))
}

/** Whether the address of the file is free for it, and valid like those of the pages in its folder. */
function isBesidePage(file: string): boolean {
  const folders = pageFolders(file)
  return file.startsWith('pages/') && folders.every(isAddressName) && !isReserved([...folders, 'file'].join('/'))
}

/** Reads the header of the file, unless `known` has it for the same modification time and size. */
export async function readAttachment(
  folder: string,
  listed: ListedFile,
  address: string,
  known: Pick<PictureIndex, 'find' | 'set'> | undefined,
): Promise<Attachment> {
  const { path, modified, size } = await inspectFile(folder, listed)
  const { file } = listed
  const picture = { file, path, modified, size }
  const found = known?.find(picture)
  const facts = found ?? { header: (await readHeader(path, size)) ?? null }
  if (!found) known?.set(picture, facts)
  return describe(picture, address, facts)
}

/** The attachment with its newest metadata. The file is not read again. */
export function withNewestMetadata(attachment: Attachment, known: Pick<PictureIndex, 'find'> | undefined): Attachment {
  const facts = known?.find(attachment)
  return facts ? describe(attachment, attachment.address, facts) : attachment
}

function describe({ file, path, modified, size }: PictureFile, address: string, facts: PictureFacts): Attachment {
  // The dimensions of the sizes are preferred to those of the header: the Exif orientation was applied to them.
  const { width, height } = facts.sizes && 'key' in facts.sizes ? facts.sizes : (facts.header ?? {})
  const header = facts.header && width && height ? { ...facts.header, width, height } : undefined
  const type = typeOf(file) ?? ''
  return { file, path, modified, size, address, type, header, problem: problemOf(type, facts) }
}

function problemOf(type: string, { header, sizes }: PictureFacts): string | undefined {
  if (sizes && 'problem' in sizes) return sizes.problem
  return type.startsWith('image/') && !header
    ? 'is no picture that browsers show: its first bytes are wrong'
    : undefined
}

// Headers are at the start of a file. Photographs may have colour profiles and previews before their size.
const HEADER_BYTES = 64 * 1024

async function readHeader(path: string, size: number): Promise<PictureHeader | undefined> {
  const file = await open(path)
  try {
    const start = Buffer.alloc(Math.min(size, HEADER_BYTES))
    const { bytesRead } = await file.read(start, 0, start.length, 0)
    const header = readPictureHeader(start.subarray(0, bytesRead))
    return header ?? (size > HEADER_BYTES ? readPictureHeader(await file.readFile()) : undefined)
  } finally {
    await file.close()
  }
}

/** A fault for each file that would be published if its name had no `#` and no `?`. */
export function unusableNames(files: string[]): ContentFault[] {
  const problem = 'is not published: the name of a file must be without # and ?, which end the path of a URL'
  return files
    .filter((file) => isAttachment(file) && NOT_IN_PATHS.test(file))
    .map((file) => new ContentFault(file, 1, problem))
}

/** Whether files with this extension are published unchanged. */
export function isAttachment(file: string): boolean {
  return typeOf(file) !== undefined
}

function typeOf(file: string): string | undefined {
  return TYPES.get(extname(file).toLowerCase())
}
