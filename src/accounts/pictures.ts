import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Arg } from '../database/prepared.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import type { Routes } from '../http/routes.ts'

const ADDRESS = /\/([\da-f-]{36})\.webp$/

/** The id of the picture that an address names, whatever query or fragment it has. */
function pictureIdIn(address: string): string | undefined {
  const [path = ''] = address.split(/[?#]/, 1)
  return ADDRESS.exec(path)?.[1]
}

export function pictureUrl(uploadUrl: string, id: string): string {
  return `${uploadUrl}/${id}.webp`
}

/** An account keeps the picture that it shows, and none that it showed before. */
export async function keepPictureOf(tx: Tx, userId: string, avatar: string): Promise<void> {
  const shown = pictureIdIn(avatar) ?? ''
  await tx.deleteFrom('pictures').where('user_id', '=', userId).where('id', '!=', shown).execute()
  await tx
    .updateTable('pictures')
    .set({ unused_since: null })
    .where('user_id', '=', userId)
    .where('id', '=', shown)
    .execute()
}

/** Pictures have an address for each upload, so that what is at one never changes. */
export function servePictures(app: Routes, database: Database): void {
  const find = database.prepare((query, id: Arg<string>) =>
    query.selectFrom('pictures').select('webp').where('id', '=', id),
  )

  app.get('/uploads/*', async (request, reply) => {
    const id = pictureIdIn(request.url)
    const [picture] = id ? await find(id) : []
    if (!picture) throw new Refusal(notFound)
    reply.headers({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      // Pages of the site's other origins may show it too.
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ETag: `"${id}"`,
    })
    const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    if (known.includes('*') || known.includes(`"${id}"`)) return reply.code(304).send()
    return reply.type('image/webp').send(Buffer.from(picture.webp))
  })
}
