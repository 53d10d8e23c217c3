import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import { countSessions, crowd, everythingStored, someone } from '../support/accounts.ts'
import { assertSucceeded, eventTypes, type Person, post, signUp } from '../support/api.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const EXPIRED_ROWS = 6000
// More than the rows of one round.
const LIVE_ROWS = 20_500
const MAX_ROWS_OF_STATEMENT = 1000
/** A PostgreSQL trigger that records how many rows each statement deletes. */
const COUNT_DELETED = sql`
  create table deleted (rows int);
  create function count_deleted() returns trigger language plpgsql as
    $$ begin insert into deleted select count(*) from gone; return null; end $$;
  create trigger counted after delete on rate_limits referencing old table as gone
    for each statement execute function count_deleted()
`

async function count({ portico: { database } }: Service, table: 'rate_limits' | 'security_events'): Promise<number> {
  const { rows } = await sql`select 1 from ${sql.table(table)}`.execute(database.query)
  return rows.length
}

/** This many counters whose windows ended this long ago. */
function addCounters({ portico: { database } }: Service, number: number, milliseconds: number): Promise<unknown> {
  return sql`
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < cast(${number} as integer))
    insert into rate_limits (key, hits, resets_at) select 'key-' || n, 1, ${database.now} - cast(${milliseconds} as integer) from numbers
  `.execute(database.query)
}

describe('housekeeping', () => {
  onBothEngines((service, engine) => {
    it('deletes any number of rows, in small steps between which other requests are served', async () => {
      const { database } = service.portico
      const person = await someone(service)
      if (engine === 'postgres') await COUNT_DELETED.execute(database.query)
      await addCounters(service, engine === 'postgres' ? EXPIRED_ROWS : 10 * EXPIRED_ROWS, 1)
      const deletion = deleteExpiredRows(database)
      assertSucceeded(await post(service, '/api/user-details', { bio: 'in between' }, { as: person }))
      assert.ok((await count(service, 'rate_limits')) > 0, 'it had to wait until all were gone')
      await deletion
      assert.equal(await count(service, 'rate_limits'), 0)
      if (engine === 'postgres') {
        const { rows } = await sql<{ rows: number }>`select rows from deleted`.execute(database.query)
        assert.ok(Math.max(...rows.map((each) => each.rows)) <= MAX_ROWS_OF_STATEMENT)
        await sql`drop trigger counted on rate_limits`.execute(database.query)
      }
    })

    it('keeps rows that have not expired', async () => {
      await signUp(service)
      await crowd(service, 3)
      await addCounters(service, 1, -60_000)
      const stored = await everythingStored(service)
      await deleteExpiredRows(service.portico.database)
      assert.deepEqual(await everythingStored(service), stored)
    })

    it('walks a large table in parts, and continues there in the next round', async () => {
      const { database } = service.portico
      await database.query.deleteFrom('rate_limits').execute()
      const add = (start: string, number: number, milliseconds: number) =>
        sql`
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < cast(${number} as integer))
        insert into rate_limits (key, hits, resets_at)
        select ${start} || n, 1, ${database.now} + cast(${milliseconds} as integer) from numbers`.execute(
          database.query,
        )
      await add('a', LIVE_ROWS, 3_600_000)
      await add('z', 10, -1)
      const places = {}
      await deleteExpiredRows(database, undefined, places)
      assert.equal(await count(service, 'rate_limits'), LIVE_ROWS + 10)
      await deleteExpiredRows(database, undefined, places)
      assert.equal(await count(service, 'rate_limits'), LIVE_ROWS)
      // At the end of the table it begins anew.
      await add('0', 10, -1)
      await deleteExpiredRows(database, undefined, places)
      assert.equal(await count(service, 'rate_limits'), LIVE_ROWS)
      await database.query.deleteFrom('rate_limits').execute()
    })

    it('deletes a session 30 days after it expired, and none before', async () => {
      const [gone, kept] = await crowd(service, 2)
      assert.ok(gone && kept)
      const setAge = (days: number, { sessionId }: Person) =>
        service.portico.database.query
          .updateTable('sessions')
          .set({ expires_at: Date.now() - days * 24 * 3_600_000 })
          .where('id', '=', sessionId)
          .execute()
      await setAge(31, gone)
      await setAge(29, kept)
      await deleteExpiredRows(service.portico.database)
      assert.equal(await countSessions(service, gone.userId), 0)
      assert.equal(await countSessions(service, kept.userId), 1)
    })

    it('deletes security events after a year, and no others', async () => {
      const [old, recent] = [await signUp(service), await someone(service)]
      assert.ok((await eventTypes(service, old)).length > 0)
      const kept = await eventTypes(service, recent)
      const setAge = (days: number, userId: string) =>
        service.portico.database.query
          .updateTable('security_events')
          .set({ created_at: Date.now() - days * 24 * 3_600_000 })
          .where('user_id', '=', userId)
          .execute()
      await setAge(366, old.userId)
      await setAge(364, recent.userId)
      await deleteExpiredRows(service.portico.database)
      assert.deepEqual(await eventTypes(service, old), [])
      assert.deepEqual(await eventTypes(service, recent), kept)
    })
  })
})
