import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { Kysely } from 'kysely'
import { NodeSqliteDialect } from '../../src/database/sqlite-dialect.ts'
import { createGroupCommit, FsyncFailed } from '../../src/database/sqlite-group-commit.ts'
import { loopIterations } from '../support/concurrency.ts'

/** A database whose fsync ends when the test resolves it. */
function onSlowDisk() {
  const fsyncs: PromiseWithResolvers<void>[] = []
  const groupCommit = createGroupCommit(() => {
    const asked = Promise.withResolvers<void>()
    fsyncs.push(asked)
    return asked.promise
  })
  const connection = new DatabaseSync(':memory:')
  connection.exec('create table things (name text unique)')
  const query = new Kysely<{ things: { name: string } }>({
    dialect: new NodeSqliteDialect(connection, () => 1000, groupCommit),
  })
  return {
    query,
    groupCommit,
    fsyncs,
    add: (name: string) => query.insertInto('things').values({ name }).execute(),
    names: async () => (await query.selectFrom('things').select('name').execute()).map(({ name }) => name),
  }
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const note = () => {
    settled = true
  }
  promise.then(note, note)
  await loopIterations()
  return settled
}

describe('a write to SQLite', () => {
  it('is waited for before the file is closed', async () => {
    const { add, groupCommit, fsyncs } = onSlowDisk()
    await groupCommit.untilIdle()
    const first = add('a')
    assert.equal(await isSettled(first), false)
    const second = add('b')
    assert.equal(await isSettled(second), false)
    const idle = groupCommit.untilIdle()
    fsyncs[0]?.resolve()
    await first
    assert.equal(await isSettled(idle), false)
    fsyncs[1]?.reject(new Error('EIO'))
    await assert.rejects(second, FsyncFailed)
    await idle
  })

  it('is acknowledged after its fsync, and can be read before', async () => {
    const { add, names, fsyncs } = onSlowDisk()
    const written = add('a')
    assert.equal(await isSettled(written), false)
    assert.deepEqual(await names(), ['a'])
    fsyncs[0]?.resolve()
    await written
    assert.equal(fsyncs.length, 1)
  })

  it('made during an fsync waits for the next one, which all writes made meanwhile share', async () => {
    const { add, names, fsyncs } = onSlowDisk()
    const first = add('a')
    assert.equal(await isSettled(first), false)
    const others = [add('b'), add('c'), add('d')]
    await loopIterations()
    fsyncs[0]?.resolve()
    await first
    for (const other of others) assert.equal(await isSettled(other), false)
    assert.equal(fsyncs.length, 2)
    fsyncs[1]?.resolve()
    await Promise.all(others)
    assert.equal(fsyncs.length, 2)
    assert.deepEqual(await names(), ['a', 'b', 'c', 'd'])
  })

  it('is fsynced before a transaction that has only read it is acknowledged', async () => {
    const { query, add, fsyncs } = onSlowDisk()
    const written = add('a')
    await loopIterations()
    const found = query.transaction().execute((tx) => tx.selectFrom('things').select('name').executeTakeFirst())
    assert.equal(await isSettled(found), false)
    fsyncs[0]?.resolve()
    await written
    assert.equal(await isSettled(found), false)
    fsyncs[1]?.resolve()
    assert.equal((await found)?.name, 'a')
  })

  it('calls no fsync when it is rolled back', async () => {
    const { query, names, fsyncs } = onSlowDisk()
    const refused = query.transaction().execute(async (tx) => {
      await tx.insertInto('things').values({ name: 'a' }).execute()
      throw new Error('no')
    })
    await assert.rejects(refused, /^Error: no$/)
    assert.deepEqual(await names(), [])
    assert.equal(fsyncs.length, 0)
  })

  it('is refused when its fsync fails, and so are all later writes', async () => {
    const { add, names, fsyncs } = onSlowDisk()
    const refused = [add('a')]
    await loopIterations()
    refused.push(add('b'))
    const outcomes = Promise.allSettled(refused)
    await loopIterations()
    fsyncs[0]?.reject(new Error('i/o error'))
    for (const outcome of await outcomes)
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof FsyncFailed)
    await assert.rejects(add('c'), ({ cause }: Error) => (cause as Error).message === 'i/o error')
    assert.equal(fsyncs.length, 1)
    assert.deepEqual(await names(), ['a', 'b'])
  })

  it('is refused when an fsync of the checkpoint thread has failed meanwhile', async () => {
    const { add, groupCommit, fsyncs } = onSlowDisk()
    const refused = assert.rejects(add('a'), FsyncFailed)
    await loopIterations()
    groupCommit.fail(new Error('i/o error'))
    fsyncs[0]?.resolve()
    await refused
    await assert.rejects(add('b'), FsyncFailed)
    assert.equal(fsyncs.length, 1)
  })
})
