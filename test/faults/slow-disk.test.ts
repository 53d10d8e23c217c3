import assert from 'node:assert/strict'
import fs from 'node:fs'
import { copyFile, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { openSqlite } from '../../src/database/sqlite.ts'
import { FsyncFailed } from '../../src/database/sqlite-group-commit.ts'
import { ownProfile, someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, get, post, registration } from '../support/api.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { startService, TEST_DATABASE_TIMEOUT_MS } from '../support/service.ts'

/** Replaces the fsync of this process by this function. */
function replaceFsync(t: TestContext, fsync: (really: () => Promise<void>, descriptor: number) => Promise<void>): void {
  const { fdatasync } = fs
  const replaceBy = (value: unknown) => {
    Object.assign(fs, { fdatasync: value })
    syncBuiltinESMExports()
  }
  const really = promisify(fdatasync)
  replaceBy((descriptor: number, done: (error: Error | null) => void) => {
    fsync(() => really(descriptor), descriptor).then(() => done(null), done)
  })
  cleanUp(t, () => replaceBy(fdatasync))
}

async function startWithUser(t: TestContext) {
  const service = await startService('sqlite')
  cleanUp(t, () => service.close())
  const person = await someone(service)
  return {
    service,
    person,
    setBio: (bio: string) => post(service, '/api/user-details', { bio }, { as: person }),
    read: () => get(service, '/api/user-details', { as: person }),
  }
}

describe('a write to SQLite', () => {
  it('is fsynced in the WAL beside the file, also when the path is a symbolic link', async (t) => {
    const folder = await temporaryFolder(t)
    await mkdir(join(folder, 'elsewhere'))
    await writeFile(join(folder, 'elsewhere/there.db'), '')
    await symlink('elsewhere/there.db', join(folder, 'here.db'))
    const synced = new Set<number>()
    replaceFsync(t, async (really, descriptor) => {
      synced.add(fs.fstatSync(descriptor).ino)
      await really()
    })
    const { query, close } = await openSqlite(join(folder, 'here.db'), TEST_DATABASE_TIMEOUT_MS)
    cleanUp(t, close)
    synced.clear()
    await query.insertInto('secrets').values({ name: 'a', value: 'b' }).execute()
    assert.deepEqual([...synced], [(await stat(join(folder, 'elsewhere/there.db-wal'))).ino])
    // SQLite fsyncs the file itself before it resets the WAL.
    assert.deepEqual((await sql<object>`pragma synchronous`.execute(query)).rows.map(Object.values), [[1]])
  })

  it('is refused after the files were deleted below the service', async (t) => {
    const folder = await temporaryFolder(t)
    const { query, close, throwIfFsyncFailed } = await openSqlite(join(folder, 'gone.db'), TEST_DATABASE_TIMEOUT_MS)
    cleanUp(t, () => close().catch(() => {}))
    const insert = (name: string) => query.insertInto('secrets').values({ name, value: 'b' }).execute()
    await insert('a')
    for (const part of ['db', 'db-wal', 'db-shm']) await rm(join(folder, `gone.${part}`))
    await assert.rejects(insert('b'), FsyncFailed)
    assert.throws(throwIfFsyncFailed, FsyncFailed)
  })

  it('is checkpointed by the next process when one has left it in the WAL', async (t) => {
    const folder = await temporaryFolder(t)
    const first = await openSqlite(join(folder, 'first.db'), TEST_DATABASE_TIMEOUT_MS)
    cleanUp(t, first.close)
    await first.query.insertInto('secrets').values({ name: 'a', value: 'b' }).execute()
    for (const part of ['db', 'db-wal']) await copyFile(join(folder, `first.${part}`), join(folder, `left.${part}`))
    assert.notEqual((await stat(join(folder, 'left.db-wal'))).size, 0)
    const next = await openSqlite(join(folder, 'left.db'), TEST_DATABASE_TIMEOUT_MS)
    cleanUp(t, next.close)
    // The new WAL has its header and one page.
    assert.equal((await stat(join(folder, 'left.db-wal'))).size, 32 + 24 + 4096)
    const { value } = await next.query
      .selectFrom('secrets')
      .select('value')
      .where('name', '=', 'a')
      .executeTakeFirstOrThrow()
    assert.equal(value, 'b')
  })
})

describe('a slow disk below SQLite', () => {
  it('delays writes, and no reads', async (t) => {
    const { setBio, read, service, person } = await startWithUser(t)
    const disk = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    replaceFsync(t, async (really) => {
      begun.resolve()
      await disk.promise
      await really()
    })
    let hasResponse = false
    const written = Promise.all(['one', 'two'].map(setBio)).finally(() => {
      hasResponse = true
    })
    await begun.promise
    for (let call = 0; call < 20; call++) assertSucceeded(await read())
    assert.equal(hasResponse, false)
    disk.resolve()
    for (const response of await written) assertSucceeded(response)
    assert.match(String((await ownProfile(service, person)).bio), /^(one|two)$/)
  })
})

describe('a disk that has failed below SQLite', () => {
  it('makes all writes fail with 503 from then on, and no reads', async (t) => {
    const { setBio, read, service, person } = await startWithUser(t)
    let fsyncs = 0
    replaceFsync(t, async (really) => {
      fsyncs += 1
      if (fsyncs === 1) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
      await really()
    })
    assert.equal((await get(service, '/readyz')).status, 200)
    for (const bio of ['one', 'two']) assertRefused(await setBio(bio), 503, 'Service temporarily unavailable')
    assertRefused(await post(service, '/api/create-account', registration()), 503, 'Service temporarily unavailable')
    assertSucceeded(await read())
    assert.equal(fsyncs, 1)
    // The writes of the first failed fsync may be in the file. Later ones are not.
    assert.notEqual((await ownProfile(service, person)).bio, 'two')
    assert.equal((await get(service, '/readyz')).status, 503)
    assert.equal((await get(service, '/healthz')).status, 200)
  })
})
