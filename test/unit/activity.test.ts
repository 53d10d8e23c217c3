import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Compilable, sql } from 'kysely'
import { pino } from 'pino'
import { createActivity } from '../../src/sessions/activity.ts'
import { someone } from '../support/accounts.ts'
import { cleanUp } from '../support/clean-up.ts'
import { loopIterations } from '../support/concurrency.ts'
import { startService } from '../support/service.ts'

const INTERVAL_MS = 900

describe('the activity of sessions', () => {
  it('is not stopped before every write in flight has ended, however many there are', async (t) => {
    const service = await startService('sqlite')
    cleanUp(t, () => service.close())
    const [first, second] = [await someone(service), await someone(service)]
    const { promise: firstWrite, resolve: endFirstWrite } = Promise.withResolvers<void>()
    let writes = 0
    const { database } = service.portico
    const slowAtFirst: typeof database.prepare = (...query) => {
      const run = database.prepare(...query)
      return async (...values) => {
        const rows = await run(...values)
        writes += 1
        if (writes === 1) await firstWrite
        return rows
      }
    }
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const activity = createActivity({ ...database, prepare: slowAtFirst }, pino({ enabled: false }))
    for (const { sessionId } of [first, second]) {
      activity.touch(sessionId)
      t.mock.timers.tick(INTERVAL_MS)
      await loopIterations()
    }
    let isStopped = false
    const stopping = activity.stop().then(() => {
      isStopped = true
    })
    await loopIterations()
    assert.equal(isStopped, false)
    endFirstWrite()
    await stopping
    assert.equal(writes, 2)
  })

  it('is recorded without reading the sessions of other users', async (t) => {
    const service = await startService('sqlite')
    cleanUp(t, () => service.close())
    const { database } = service.portico
    const texts: string[] = []
    const recordingPrepare: typeof database.prepare = (build, options) => {
      texts.push((build as (...given: unknown[]) => Compilable)(database.query, sql.lit('[]')).compile().sql)
      return database.prepare(build, options)
    }
    createActivity({ ...database, prepare: recordingPrepare }, pino({ enabled: false }))
    const { rows } = await sql<{ detail: string }>`${sql.raw(`explain query plan ${texts[0]}`)}`.execute(database.query)
    const ways = rows.map(({ detail }) => detail).filter((detail) => / sessions\b/.test(detail))
    assert.deepEqual(ways, ['SEARCH sessions USING INDEX sqlite_autoindex_sessions_1 (id=?)'])
  })
})
