import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { call, logIn, type Person, signUp } from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

const CALLS: [method: string, path: string, body?: unknown][] = [
  ['GET', '/api/user-details'],
  ['POST', '/api/user-details', { bio: 'here' }],
  ['GET', '/api/sessions'],
  ['GET', '/api/security-events'],
  ['GET', '/api/linked-accounts'],
  ['GET', '/api/change-username?username=free.name'],
]

describe('an instance that is older than its database', () => {
  onBothEngines((service) => {
    /** The statuses of every call, of many concurrent ones so that every database connection has executed them all. */
    async function statuses(as: Person): Promise<number[]> {
      const rounds = Array.from({ length: 20 }, () => CALLS).flat()
      const responses = rounds.map(([method, path, body]) => call(service, method, path, body, { as }))
      return (await Promise.all(responses)).map(({ status }) => status)
    }

    it('serves when a newer one has added a column to every table', async () => {
      const person = await signUp(service)
      const before = await statuses(await logIn(service, person))
      assert.deepEqual(new Set(before), new Set([200]))
      const { query } = service.portico.database
      for (const { name } of await query.introspection.getTables()) {
        await sql`alter table ${sql.table(name)} add column newer text`.execute(query)
      }
      assert.deepEqual(await statuses(await logIn(service, person)), before)
    })
  })
})
