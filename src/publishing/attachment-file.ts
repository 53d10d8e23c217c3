import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Attachment } from '../content/attachment.ts'
import { MAX_FILE_BYTES } from '../content/folder.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import type { Reply } from '../http/reply.ts'
import { isNotModified } from '../http/representation.ts'
import type { Request } from '../http/request.ts'
import { shortDigest } from '../lib/short-digest.ts'
import type { PictureIndex } from '../pictures/picture-index.ts'
import { type DiskFile, fileHeaders, type responsesOf } from './page-variants.ts'
import type { LazyResponse } from './response-cache.ts'

// A symbolic link could lead out of the content folder, and opening a named pipe would block.
const SAFELY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Drawings and icons are compressed and kept in memory like pages. All other files are sent from the disk. */
export function attachmentResponse(
  attachment: Attachment,
  responses: ReturnType<typeof responsesOf>,
  index: Index,
): LazyResponse | DiskFile {
  const { address, type, path } = attachment
  if (type !== 'image/svg+xml' && type !== 'image/x-icon')
    return new AttachmentFile(attachment, fileHeaders(address, type), index)
  return responses.file({ path: address, type, content: () => readWhole(path) })
}

/** Opens a file that may have been replaced since the folder was read. */
async function openFile(path: string): Promise<FileHandle> {
  return open(path, SAFELY).catch((cause) => {
    throw new Refusal(notFound, { cause })
  })
}

async function readWhole(path: string): Promise<Buffer> {
  const file = await openFile(path)
  try {
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) throw new Refusal(notFound)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

type Index = Pick<PictureIndex, 'find' | 'set'>

/**
 * A file of the content folder that is sent from the disk. Its hash is computed at the first request and remembered. A
 * file that has changed since the folder was read is sent with its current content.
 */
class AttachmentFile {
  readonly #attachment: Attachment
  readonly #headers: Record<string, string>
  readonly #index: Index

  constructor(attachment: Attachment, headers: Record<string, string>, index: Index) {
    this.#attachment = attachment
    this.#headers = headers
    this.#index = index
  }

  async send(request: Request, reply: Reply): Promise<Reply> {
    const file = await openFile(this.#attachment.path)
    try {
      const stats = await file.stat()
      if (!stats.isFile()) throw new Refusal(notFound)
      const now = { ...this.#attachment, modified: stats.mtime, size: stats.size }
      const etag = `"${await this.#hashOf(file, now)}"`
      // A date in the future is not allowed (RFC 9110, section 8.8.2.1). HTTP dates have a resolution of one second.
      const modified = new Date(Math.floor(Math.min(stats.mtimeMs, Date.now()) / 1000) * 1000)
      reply.mergeHeaders({ ...this.#headers, etag, 'last-modified': modified.toUTCString() })
      if (isNotModified(request.headers, modified, etag)) return reply.code(304).send()
      reply.type(now.type)
      if (request.method === 'HEAD' || now.size === 0) return reply.sendSize(now.size)
      return await reply.sendStream(file.createReadStream({ start: 0, end: now.size - 1, autoClose: false }), now.size)
    } finally {
      await file.close()
    }
  }

  async #hashOf(file: FileHandle, now: Attachment): Promise<string> {
    const facts = this.#index.find(now)
    if (facts?.hash) return facts.hash
    const sum = createHash('sha256')
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) sum.update(chunk)
    const hash = shortDigest(sum)
    if (facts) this.#index.set(now, { ...facts, hash })
    return hash
  }
}
