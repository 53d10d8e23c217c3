import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import {
  assertAlive,
  assertEnded,
  linkedProviders,
  NEW_PASSWORD,
  newResetCode,
  ownProfile,
  reset,
  rowsNaming,
  tryLogIn,
} from '../support/accounts.ts'
import { assertRefused, assertSucceeded, del, eventTypes, logIn, mailsTo, PASSWORD, post } from '../support/api.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { signedIn } from '../support/sign-in-steps.ts'

const FIRST_PASSWORD = { newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }

describe('an account without a password', () => {
  withProviders((service, providers) => {
    for (const name of PROVIDER_NAMES) {
      const someone = async () => {
        const subject = providers[name].people.admit()
        return { subject, person: await signedIn(service, providers[name], subject) }
      }

      it(`of the ${name} cannot be logged in to with any password`, async () => {
        const { person } = await someone()
        for (const password of [PASSWORD, ' ', 'null', 'undefined']) {
          assertRefused(await tryLogIn(service, person.email, password), 401, 'Invalid email or password')
        }
      })

      it(`of the ${name} gets one, is logged in to with it, and keeps its provider and the session that set it`, async () => {
        const { person, subject } = await someone()
        const second = await signedIn(service, providers[name], subject)
        assertSucceeded(await post(service, '/api/change-password', FIRST_PASSWORD, { as: person }))
        await assertAlive(service, person)
        await assertEnded(service, second)
        const profile = await ownProfile(service, await logIn(service, { ...person, password: NEW_PASSWORD }))
        assert.deepEqual([profile.hasPassword, profile.authMethod], [true, name])
        assert.deepEqual(await linkedProviders(service, person), [name])
        assert.equal((await signedIn(service, providers[name], subject)).userId, person.userId)
        assert.ok((await eventTypes(service, person)).includes('password.set'))
        const subjects = (await mailsTo(service, person.email)).map((mail) => mail.subject)
        assert.deepEqual(subjects, ['A password was set for your account - Portico'])
        // The next change requires the current one.
        assertRefused(await post(service, '/api/change-password', FIRST_PASSWORD, { as: person }), 400)
      })

      it(`of the ${name} can be given one by a reset code, whose notice names the ${name} and where to remove it`, async () => {
        const { person } = await someone()
        assertSucceeded(await reset(service, person.email, await newResetCode(service, person.email)))
        const [notice] = await mailsTo(service, person.email)
        assert.equal(notice?.subject, 'Your password was reset - Portico')
        const title = service.portico.providers[name]?.title ?? ''
        assert.ok(notice?.text.includes(`${title} can still be used to sign in to it.`), notice?.text)
        assert.ok(notice?.text.includes('http://localhost:3000/account/security\n'), notice?.text)
      })

      it(`of the ${name} can be given one by a reset code, which ends every session`, async () => {
        const { person } = await someone()
        assertSucceeded(await reset(service, person.email, await newResetCode(service, person.email)))
        await assertEnded(service, person)
        const again = await logIn(service, { ...person, password: NEW_PASSWORD })
        assert.deepEqual(await linkedProviders(service, again), [name])
      })

      it(`of the ${name} is deleted without a body, with all its rows, and its owner can sign up again`, async () => {
        const { person, subject } = await someone()
        assertSucceeded(await del(service, '/api/delete-user', undefined, { as: person }))
        await assertEnded(service, person)
        const rows = await rowsNaming(service, person)
        assert.deepEqual([...new Set(Object.values(rows))], [0])
        const { rows: links } = await sql`select 1 from linked_accounts where user_id = ${person.userId}`.execute(
          service.portico.database.query,
        )
        assert.deepEqual(links, [])

        const anew = await signedIn(service, providers[name], subject)
        assert.notEqual(anew.userId, person.userId)
        assert.equal(anew.email, person.email)
        assert.deepEqual(await eventTypes(service, anew), ['session.started', 'sign-in.linked', 'account.created'])
      })
    }
  })
})
