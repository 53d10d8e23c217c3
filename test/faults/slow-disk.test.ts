import assert from 'node:assert/strict'
import { type FileHandle, open } from 'node:fs/promises'
import { describe, it, type TestContext } from 'node:test'
import { get, post, registration } from '../support/api.ts'
import { someone } from '../support/crowd.ts'
import { assertRefused, assertSucceeded } from '../support/envelope.ts'
import { ownProfile } from '../support/own-profile.ts'
import { startService } from '../support/service.ts'

/** From now on files of this process are flushed like this. */
async function flushLike(t: TestContext, flush: (really: () => Promise<void>) => Promise<void>): Promise<void> {
  const file = await open(import.meta.filename)
  const handles = Object.getPrototypeOf(file) as FileHandle
  await file.close()
  const { datasync } = handles
  t.mock.method(handles, 'datasync', function (this: FileHandle) {
    return flush(() => datasync.call(this))
  })
}

async function withSomebody(t: TestContext) {
  const service = await startService('sqlite')
  t.after(() => service.close())
  const person = await someone(service)
  return {
    service,
    person,
    setBio: (bio: string) => post(service, '/api/user-details', { bio }, { as: person }),
    read: () => get(service, '/api/user-details', { as: person }),
  }
}

describe('a slow disk below SQLite', () => {
  it('makes those wait who write, and nobody who reads', async (t) => {
    const { setBio, read, service, person } = await withSomebody(t)
    const disk = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    await flushLike(t, async (really) => {
      begun.resolve()
      await disk.promise
      await really()
    })
    let isAnswered = false
    const written = Promise.all(['one', 'two'].map(setBio)).finally(() => {
      isAnswered = true
    })
    await begun.promise
    for (let call = 0; call < 20; call++) assertSucceeded(await read())
    assert.equal(isAnswered, false)
    disk.resolve()
    for (const answer of await written) assertSucceeded(answer)
    assert.match(String((await ownProfile(service, person)).bio), /^(one|two)$/)
  })
})

describe('a disk that has failed below SQLite', () => {
  it('refuses all who write with 503 from then on, and nobody who reads', async (t) => {
    const { setBio, read, service } = await withSomebody(t)
    let flushes = 0
    await flushLike(t, async (really) => {
      flushes += 1
      if (flushes === 1) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
      await really()
    })
    for (const bio of ['one', 'two']) assertRefused(await setBio(bio), 503, 'Service temporarily unavailable')
    assertRefused(await post(service, '/api/create-account', registration()), 503, 'Service temporarily unavailable')
    assertSucceeded(await read())
    assert.equal(flushes, 1)
  })
})
