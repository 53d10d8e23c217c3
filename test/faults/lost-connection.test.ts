import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { post, signUp } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startOn, temporaryDatabase } from '../support/service.ts'

describe('a PostgreSQL connection that is lost in the middle of a transaction', () => {
  it('makes that request fail with 503, and no other', async (t) => {
    const env = await temporaryDatabase(t, 'postgres')
    const service = await startOn(env)
    cleanUp(t, () => service.close())
    const admin = new pg.Client({ connectionString: env.DATABASE_URL })
    await admin.connect()
    cleanUp(t, () => admin.end())
    const person = await signUp(service)
    const cut = () =>
      admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )

    // Without an error listener on the connection of a transaction, the loss would end the process.
    await assert.rejects(
      service.portico.database.transaction(async (tx) => {
        await tx.updateTable('users').set({ bio: 'lost' }).where('id', '=', person.userId).execute()
        await cut()
        await tx.selectFrom('users').select('id').execute()
      }),
      (error) => service.portico.database.isUnavailable(error),
    )
    const statuses = []
    for (let round = 0; round < 10; round++) {
      const response = post(service, '/api/user-details', { bio: `round ${round}` }, { as: person })
      await cut()
      statuses.push((await response).status)
    }
    assert.deepEqual(
      statuses.filter((status) => status !== 200 && status !== 503),
      [],
    )
    const after = await post(service, '/api/user-details', { bio: 'back' }, { as: person })
    assert.ok(
      after.status === 200 ||
        (await post(service, '/api/user-details', { bio: 'back' }, { as: person })).status === 200,
    )
  })
})
