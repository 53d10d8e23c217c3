import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Arg } from '../database/prepared.ts'
import { IMMUTABLE_CACHE } from '../http/cache-policy.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import { matchesETag } from '../http/representation.ts'
import type { Routes } from '../http/routes.ts'
import { LruCache } from '../lib/lru-cache.ts'

const MAX_SHARED_BYTES = 8 * 1024 * 1024
const PICTURE_PATH = /\/([\da-f-]{36})\.webp$/

/** The id of the picture in a URL. Query and fragment are ignored. */
export function pictureIdIn(url: string): string | undefined {
  const [path = ''] = url.split(/[?#]/, 1)
  return PICTURE_PATH.exec(path)?.[1]
}

export function pictureUrl(uploadUrl: string, id: string): string {
  return `${uploadUrl}/${id}.webp`
}

/** Deletes the pictures of an account except the one that is its avatar, and marks that one as used. */
export async function deletePicturesExcept(tx: Tx, userId: string, avatar: string): Promise<void> {
  const avatarId = pictureIdIn(avatar) ?? ''
  await tx.deleteFrom('pictures').where('user_id', '=', userId).where('id', '!=', avatarId).execute()
  await tx
    .updateTable('pictures')
    .set({ unused_since: null })
    .where('user_id', '=', userId)
    .where('id', '=', avatarId)
    .execute()
}

/**
 * Serves uploaded pictures. Every upload has a URL of its own, so the response to a URL never changes. The responses of
 * one picture share a Buffer, so that many slow readers do not take its memory many times. The row is read for each
 * response, because the picture may have been deleted.
 */
export function servePictures(app: Routes, database: Database): void {
  const find = database.prepare((query, id: Arg<string>) =>
    query.selectFrom('pictures').select('webp').where('id', '=', id),
  )

  const shared = new LruCache<string, Buffer>(MAX_SHARED_BYTES, ({ length }) => length)

  function sharedBytes(id: string, webp: Uint8Array): Buffer {
    const bytes = shared.get(id) ?? Buffer.from(webp)
    shared.set(id, bytes)
    return bytes
  }

  app.get('/uploads/*', async (request, reply) => {
    const id = pictureIdIn(request.url)
    const [picture] = id ? await find(id) : []
    if (!id || !picture) throw new Refusal(notFound)
    const etag = `"${id}"`
    reply.headers({
      'Cache-Control': IMMUTABLE_CACHE,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      // Lets pages of other origins embed the picture.
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ETag: etag,
    })
    if (matchesETag(request.headers['if-none-match'] ?? '', etag)) return reply.code(304).send()
    return reply.type('image/webp').send(sharedBytes(id, picture.webp))
  })
}
