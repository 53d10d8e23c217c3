import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { assertAlive, listedSession, refreshed, someone } from '../support/accounts.ts'
import { logIn, type Person } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { undoProofsOfIdentity } from '../support/older-versions.ts'
import { ENGINES, type Service, startOn, temporaryDatabase } from '../support/service.ts'

/** Starts a session with the columns that a version without proofs of identity writes. */
async function logInAtOlderInstance(service: Service, person: Person): Promise<Person> {
  const session = await logIn(service, person)
  await service.portico.database.query
    .updateTable('sessions')
    .set({ authenticated_at: null, auth_methods: null })
    .where('id', '=', session.sessionId)
    .execute()
  return session
}

describe('an upgrade from a version without proofs of identity', () => {
  for (const engine of ENGINES) {
    it(`ends no session, and knows the proof of each, on ${engine}`, async (t) => {
      const env = await temporaryDatabase(t, engine)
      const before = await startOn(env)
      const person = await someone(before)
      await undoProofsOfIdentity(before)
      await before.close()

      const after = await startOn(env)
      cleanUp(t, () => after.close())
      await assertAlive(after, person)
      const later = await refreshed(after, person)
      assert.deepEqual(decodeJwt(later.accessToken).amr, ['pwd'])
      const { createdAt, authenticatedAt } = await listedSession(after, later, later)
      assert.equal(authenticatedAt, createdAt)

      const other = await logInAtOlderInstance(after, person)
      assert.deepEqual((await listedSession(after, later, other)).methods, ['pwd'])
      assert.deepEqual(decodeJwt((await refreshed(after, other)).accessToken).amr, ['pwd'])
    })
  }
})
