import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { servePictures } from '../../src/accounts/pictures.ts'
import type { Database } from '../../src/database/database.ts'
import type { Reply } from '../../src/http/reply.ts'
import type { Request } from '../../src/http/request.ts'
import { Routes } from '../../src/http/routes.ts'

describe('the responses of one picture', () => {
  it('share a Buffer, and end with the row of the picture', async () => {
    const stored = new Map(
      [
        ['a', 1],
        ['b', 2],
      ].map(([name, byte]) => [name, { id: randomUUID(), byte: Number(byte) }]),
    )
    const routes = new Routes()
    const find = async (id: string) =>
      [...stored.values()].filter((row) => row.id === id).map(({ byte }) => ({ webp: Uint8Array.of(byte) }))
    servePictures(routes, { prepare: () => find } as unknown as Database)
    const [a, b] = [...stored.values()].map(({ id }) => `/uploads/${id}.webp`)

    async function sent(url = ''): Promise<Buffer> {
      const request = { method: 'GET', url, path: url, headers: {} } as Request
      const { promise, resolve } = Promise.withResolvers<Buffer>()
      const reply = { headers: () => reply, type: () => reply, send: resolve }
      await routes.find(request)?.handle(request, reply as unknown as Reply)
      return promise
    }

    const first = await sent(a)
    assert.deepEqual([...first], [1])
    assert.equal(await sent(a), first)
    assert.deepEqual([...(await sent(b))], [2])
    stored.delete('a')
    await assert.rejects(sent(a), { status: 404 })
  })
})
