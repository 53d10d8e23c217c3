import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { crowd } from '../support/accounts.ts'
import { assertSucceeded, del, get, PASSWORD, post } from '../support/api.ts'
import { trace } from '../support/child.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startQuiet } from '../support/process.ts'
import { freshDatabase, startOn } from '../support/service.ts'
import { withRealHashes } from '../support/test-speed.ts'

const FSYNC_MS = 300
const WRITERS = 60
const ROUNDS = 10
// Enough for several frames a write, so that the WAL exceeds its size limit.
const BIO = 'x'.repeat(500)

describe('a slow fsync below SQLite', () => {
  withRealHashes()
  it('never blocks the thread that serves, also when the WAL is checkpointed or truncated', async (t) => {
    const database = await freshDatabase('sqlite')
    cleanUp(t, () => database.drop())
    const env = { ...database.env, BASE_URL: 'http://localhost:3000' }
    const preparing = await startOn(env)
    const [reader, ...people] = await crowd(preparing, 1 + WRITERS).finally(() => preparing.close())
    const portico = await startQuiet(t, env)
    const calls = join(database.env.DATA_DIR ?? '', 'calls')
    const { stop } = await trace(t, portico.child.pid as number, calls, [
      ...['-e', 'trace=fsync,fdatasync'],
      ...['-e', `inject=fsync,fdatasync:delay_enter=${FSYNC_MS * 1000}`],
    ])

    let isOver = false
    let slowest = 0
    async function read() {
      while (!isOver) {
        const began = performance.now()
        assertSucceeded(await get(portico, '/api/user-details', { as: reader }))
        slowest = Math.max(slowest, performance.now() - began)
        await setTimeout(1)
      }
    }
    const reading = read()
    const [leaver, ...writers] = people
    await Promise.all(
      writers.map(async (person) => {
        for (let round = 0; round < ROUNDS; round++) {
          const bio = `${round}${BIO}`.slice(0, BIO.length)
          assertSucceeded(await post(portico, '/api/user-details', { bio }, { as: person }))
        }
      }),
    )
    assertSucceeded(await del(portico, '/api/delete-user', { password: PASSWORD }, { as: leaver }))
    isOver = true
    await reading
    await stop()

    const threads = [...(await readFile(calls, 'utf8')).matchAll(/^(\d+) +f(?:data)?sync\(/gm)].map(([, id]) =>
      Number(id),
    )
    assert.ok(threads.length > ROUNDS, `only ${threads.length} fsyncs were seen`)
    // None by the thread that serves. The time of the slowest read is only shown: a busy machine makes any read slow.
    assert.equal(threads.filter((id) => id === portico.child.pid).length, 0)
    t.diagnostic(`${threads.length} fsyncs of ${FSYNC_MS} ms; the slowest read took ${Math.round(slowest)} ms`)
  })
})
