import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { hashSync } from 'bcryptjs'
import { ACCOUNTS } from '../../bench/fixtures/accounts.ts'
import { isOutdated } from '../../src/accounts/password-hash.ts'
import { someone, tryLogIn } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, PASSWORD, post } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { exportOf, fileWith, importFile } from '../support/people-files.ts'
import { onBothEngines, type Service, startService } from '../support/service.ts'

const HASH_CONFIG = exportOf('firebase-hash-config.txt')
const KNOWN = ACCOUNTS.map(({ email, password }) => [email, password] as const)
const FIREBASE = [['ada@example.com', 'user1password']] as const

/** The people of each export with their old passwords, and how many it has otherwise. */
const SYSTEMS = [
  { file: 'better-auth.json', format: 'better-auth', people: KNOWN, others: {} },
  { file: 'pocketbase.json', format: 'pocketbase', people: KNOWN, others: {} },
  {
    file: 'supabase.csv',
    format: 'supabase',
    people: KNOWN.slice(0, 2),
    others: { imported: 4, refused: 2, withoutPassword: 1 },
  },
  { file: 'auth0.ndjson', format: 'auth0', people: KNOWN.slice(0, 2), others: { imported: 3, withoutPassword: 1 } },
  { file: 'firebase.json', format: 'firebase', people: FIREBASE, others: { imported: 2, withoutPassword: 1 } },
  { file: 'firebase.csv', format: 'firebase', people: FIREBASE, others: { imported: 2, withoutPassword: 1 } },
]

const hashIn = async ({ portico }: Service, email: string) => {
  const users = portico.database.query.selectFrom('users').select('password_hash')
  return (await users.where('email', '=', email).executeTakeFirstOrThrow()).password_hash ?? ''
}

describe('the people of', () => {
  for (const { file, format, people, others } of SYSTEMS) {
    it(`${file} log in with their old passwords, which are then hashed as all others`, async (t) => {
      const service = await startService('sqlite')
      cleanUp(t, () => service.close())
      const result = await importFile(service, exportOf(file), { hashConfig: HASH_CONFIG })
      const expected = { imported: people.length, refused: 0, withoutPassword: 0, alreadyHere: 0, ...others }
      for (const [name, value] of Object.entries(expected)) assert.equal(result[name as 'read'], value, name)
      assert.equal(result.format, format)
      for (const [email, password] of people) {
        assert.ok(isOutdated(await hashIn(service, email)))
        assertRefused(await tryLogIn(service, email, `${password}x`), 401)
        assert.ok(isOutdated(await hashIn(service, email)))
        assertSucceeded(await tryLogIn(service, email, password))
        assert.equal(isOutdated(await hashIn(service, email)), false)
        assertSucceeded(await tryLogIn(service, email, password))
      }
    })
  }
})

describe('imported people', () => {
  onBothEngines((service) => {
    const query = () => service.portico.database.query
    const setHash = (userId: string, hash: string) =>
      query().updateTable('users').set({ password_hash: hash }).where('id', '=', userId).execute()
    afterEach(() => query().deleteFrom('users').execute())

    it('keep names, pictures and suspensions, and are told apart from those who have no password', async () => {
      await importFile(service, exportOf('supabase.csv'))
      assertRefused(await tryLogIn(service, 'banned@example.com', 'Analytical-Engine-42'), 403)
      assertRefused(await tryLogIn(service, 'linked@example.com', 'anything'), 401)
      const row = await query()
        .selectFrom('users')
        .selectAll()
        .where('email', '=', 'ada@example.com')
        .executeTakeFirst()
      assert.deepEqual(
        [row?.first_name, row?.last_name, row?.avatar, row?.created_at, row?.email_verified_at],
        [
          'Ada, Countess of',
          'Lovelace',
          'https://images.example.com/ada.png',
          Date.parse('2025-05-01T08:00:00.123Z'),
          Date.parse('2025-05-01T08:05:00.500Z'),
        ],
      )
    })

    it('can log in at the same moment in several places', async () => {
      await importFile(service, exportOf('pocketbase.json'))
      const logIns = Array.from({ length: 3 }, () => tryLogIn(service, 'ada@example.com', 'Analytical-Engine-42'))
      for (const response of await Promise.all(logIns)) assertSucceeded(response)
    })

    it('prove their identity and change their password with the old one', async () => {
      const person = await someone(service)
      await setHash(person.userId, hashSync(PASSWORD, 4))
      assertRefused(await post(service, '/api/reauthenticate', { password: 'Wrong-Horse-7' }, { as: person }), 400)
      assertSucceeded(await post(service, '/api/reauthenticate', { password: PASSWORD }, { as: person }))
      const change = { currentPassword: PASSWORD, newPassword: 'Other-Horse-8', confirmPassword: 'Other-Horse-8' }
      assertSucceeded(await post(service, '/api/change-password', change, { as: person }))
      assertSucceeded(await tryLogIn(service, person.email, 'Other-Horse-8'))
    })

    it('with a hash that costs too much are imported without a password, and cannot be logged in to', async (t) => {
      const costly = `$2b$31$${'.'.repeat(53)}`
      const file = await fileWith(
        t,
        JSON.stringify({ email: 'a@example.com', emailVerified: true, passwordHash: costly }),
      )
      const { remarks, withoutPassword } = await importFile(service, file)
      assert.equal(withoutPassword, 1)
      assert.match(remarks[0]?.reason ?? '', /the cost of bcrypt is 31, and the most is 13/)
      await query().updateTable('users').set({ password_hash: costly }).execute()
      assertRefused(await tryLogIn(service, 'a@example.com', 'anything'), 401)
    })
  })
})
