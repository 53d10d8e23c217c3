import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { assertAlive, crowd, refreshed } from '../support/accounts.ts'
import { assertSucceeded, type Person, post, registration } from '../support/api.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { runPortico } from '../support/process.ts'
import { ENGINES, type Service, startOn, temporaryDatabase } from '../support/service.ts'
import { restoreTo } from './backups.ts'

const LANES = 6
const WARM_UP_ROUNDS = 3

/** A person who writes without a pause, and what was acknowledged: all tokens of the session, and the number in the bio. */
interface Writer {
  states: Person[]
  bio: number
}

/** Sign-ups, changes of profiles and refreshes by several clients at once, until they are stopped. */
function startLoad(service: Service, people: Person[]) {
  const writers: Writer[] = people.map((person) => ({ states: [person], bio: 0 }))
  const emails: string[] = []
  let isOver = false
  const lanes = writers.map(async (writer) => {
    while (!isOver) {
      const person = writer.states.at(-1) as Person
      writer.states.push(await refreshed(service, person))
      const changed = await post(service, '/api/user-details', { bio: String(writer.bio + 1) }, { as: person })
      assertSucceeded(changed)
      writer.bio += 1
    }
  })
  const signUps = async () => {
    while (!isOver) {
      const body = registration()
      assertSucceeded(await post(service, '/api/create-account', body), 201)
      emails.push(body.email)
    }
  }
  const done = Promise.all([...lanes, signUps()])
  return {
    writers,
    emails,
    async untilEachHasWritten(rounds: number) {
      const isBehind = () => emails.length < rounds || writers.some(({ bio }) => bio < rounds)
      while (isBehind()) await Promise.race([done, new Promise(setImmediate)])
    },
    stop() {
      isOver = true
      return done
    },
  }
}

describe('a backup of a service under load', () => {
  for (const engine of ENGINES) {
    it(`on ${engine} has all that was acknowledged before it began, and its sessions go on`, async (t) => {
      const [env, other] = [await temporaryDatabase(t, engine), await temporaryDatabase(t, engine)]
      const file = join(await temporaryFolder(t), 'site.backup')
      const service = await startOn(env)
      const load = startLoad(service, await crowd(service, LANES))
      await load.untilEachHasWritten(WARM_UP_ROUNDS)
      const emails = [...load.emails]
      const before = load.writers.map(({ bio, states }) => ({ bio, states: states.length }))
      const { code, stderr } = await runPortico(t, ['backup', file], { env })
      assert.equal(code, 0, stderr)
      const during = load.writers.map(({ bio }, lane) => bio - (before[lane]?.bio ?? 0))
      await load.stop()
      await service.close()
      assert.ok(
        during.every((count) => count > 0),
        'a client did not write while the backup ran',
      )

      await restoreTo(other, file)
      const restored = await startOn(other)
      cleanUp(t, () => restored.close())
      const { query } = restored.portico.database
      const users = await query.selectFrom('users').select(['id', 'email', 'bio']).execute()
      const found = new Set(users.map(({ email }) => email))
      assert.deepEqual(
        emails.filter((email) => !found.has(email)),
        [],
      )
      for (const [lane, { states }] of load.writers.entries()) {
        const person = states[0] as Person
        const bio = Number(users.find(({ id }) => id === person.userId)?.bio)
        assert.ok(bio >= (before[lane]?.bio ?? 0), `the profile has ${bio}`)
        const { refresh_id } = await query
          .selectFrom('sessions')
          .select('refresh_id')
          .where('id', '=', person.sessionId)
          .executeTakeFirstOrThrow()
        const place = states.findIndex(({ refreshToken }) => decodeJwt(refreshToken).jti === refresh_id)
        assert.ok(place >= (before[lane]?.states ?? 0) - 1, `the session has token ${place}`)
        await assertAlive(restored, await refreshed(restored, states[place] as Person))
      }
      if (engine === 'sqlite') {
        assert.equal((await sql`pragma foreign_key_check`.execute(query)).rows.length, 0)
        const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(query)
        assert.deepEqual(
          rows.map(({ integrity_check }) => integrity_check),
          ['ok'],
        )
      }
    })
  }
})
