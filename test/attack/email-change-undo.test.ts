import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { assertAlive, assertEnded, newResetCode, reset, someone, tryLogIn } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  linkFor,
  logIn,
  newEmail,
  PASSWORD,
  type Person,
  post,
  registration,
} from '../support/api.ts'
import {
  changeEmail,
  confirmChange,
  emailOf,
  logInAfterUndo,
  requestChange,
  storedOf,
  undoChange,
} from '../support/email-changes.ts'
import { PageVisitor } from '../support/page-visitor.ts'
import { addPasskey } from '../support/passkeys.ts'
import { addApp } from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'

const INVALID_CODE = 'Invalid or expired code for the new address'
const NOT_UNDONE = 'This change cannot be undone any more'

describe('a thief who changes the address of an account', () => {
  onBothEngines((service) => {
    let owner: Person
    let thief: Person
    before(async () => {
      owner = await someone(service)
      thief = await logIn(service, owner)
    })

    it('loses it to the first owner, also after a second change, and cannot undo that', async () => {
      const first = await changeEmail(service, thief)
      const second = await changeEmail(service, { ...thief, email: first.newEmail })
      assert.equal(await emailOf(service, owner.userId), second.newEmail)
      assertSucceeded(await undoChange(service, first.undoToken))
      assert.equal(await emailOf(service, owner.userId), owner.email)
      for (const session of [owner, thief]) await assertEnded(service, session)
      assertRefused(await undoChange(service, second.undoToken), 400, NOT_UNDONE)
      for (const email of [first.newEmail, second.newEmail]) {
        assertSucceeded(await post(service, '/api/forgot-password', { email }))
        assertRefused(await tryLogIn(service, email, PASSWORD), 401)
      }
      assert.equal(await emailOf(service, owner.userId), owner.email)
      assertSucceeded(await reset(service, owner.email, await newResetCode(service, owner.email)))
    })

    it('cannot use up the undo of the owner by undoing the second change', async () => {
      const person = await someone(service)
      const first = await changeEmail(service, person)
      const second = await changeEmail(service, { ...person, email: first.newEmail })
      assertSucceeded(await undoChange(service, second.undoToken))
      assert.equal(await emailOf(service, person.userId), first.newEmail)
      const again = await logInAfterUndo(service, { ...person, email: first.newEmail })
      assertSucceeded(await undoChange(service, first.undoToken))
      assert.equal(await emailOf(service, person.userId), person.email)
      await assertEnded(service, again)
    })

    it('cannot give the address of the owner to another account meanwhile', async () => {
      const [person, accomplice] = [await someone(service), await someone(service)]
      // Asked for while the address was free for a moment: its code must not work any more.
      const { undoToken } = await changeEmail(service, person)
      assertRefused(await post(service, '/api/create-account', registration({ email: person.email })), 409)
      assertSucceeded(await requestChange(service, accomplice, person.email))
      const { codes } = await storedOf(service, accomplice)
      assert.deepEqual(codes, [])
      assertSucceeded(await undoChange(service, undoToken))
      assert.equal(await emailOf(service, person.userId), person.email)
    })

    it('cannot finish a change that was pending when the owner undid the first', async () => {
      const person = await someone(service)
      const { undoToken } = await changeEmail(service, person)
      const to = newEmail()
      await requestChange(service, person, to)
      const { token } = await linkFor(service, to)
      assertSucceeded(await undoChange(service, undoToken))
      assertRefused(await confirmChange(service, person, token), 401)
      const again = await logInAfterUndo(service, person)
      assertRefused(await confirmChange(service, again, token), 400, INVALID_CODE)
      assert.equal(await emailOf(service, person.userId), person.email)
    })

    it('keeps no way to sign in after the undo: password, provider, passkey, authenticator app or recovery codes', async () => {
      const person = await someone(service)
      const { database, store } = service.portico
      await addPasskey(service, person, 'Of the owner')
      await service.advanceTime({ days: 2 })
      const stolen = await logIn(service, person)
      await addPasskey(service, stolen, 'Of the thief')
      await addApp(service, stolen)
      const link = { provider: 'codehost', issuer: 'https://codehost.example', subject: person.userId } as const
      await database.query
        .insertInto('linked_accounts')
        .values({ ...link, username: 'thief', user_id: person.userId, linked_at: database.now })
        .execute()
      const { undoToken } = await changeEmail(service, stolen)
      assertSucceeded(await undoChange(service, undoToken))
      const rowsOf = (table: 'linked_accounts' | 'authenticator_apps' | 'recovery_codes' | 'remembered_browsers') =>
        database.query.selectFrom(table).select('user_id').where('user_id', '=', person.userId).execute()
      for (const table of ['linked_accounts', 'authenticator_apps', 'recovery_codes', 'remembered_browsers'] as const) {
        assert.deepEqual(await rowsOf(table), [], table)
      }
      const passkeys = database.query.selectFrom('passkeys').select('name').where('user_id', '=', person.userId)
      assert.deepEqual(
        (await passkeys.execute()).map(({ name }) => name),
        ['Of the owner'],
      )
      assertRefused(await tryLogIn(service, person.email, person.password), 401)
      // The passkey of the owner is still a second factor, so two-step sign-in stays on.
      const user = await store.findById(person.userId)
      assert.deepEqual([user?.password_hash, user?.second_factor_required], [null, 1])
    })

    it('cannot lock the owner out by turning two-step sign-in on', async () => {
      const person = await someone(service)
      await addApp(service, person)
      const { undoToken } = await changeEmail(service, person)
      assertSucceeded(await undoChange(service, undoToken))
      await assertAlive(service, await logInAfterUndo(service, person))
    })

    it('cannot change it with a stolen session whose proof is old', async () => {
      const person = await someone(service)
      await service.advanceTime({ minutes: 15 })
      const refused = await requestChange(service, person, newEmail())
      assertRefused(refused, 403)
      assert.equal(refused.body.code, 'reauthentication_required')
      const { email_changes } = await storedOf(service, person)
      assert.deepEqual(email_changes, [])
    })
  })
})

describe('a former owner of an address', () => {
  onBothEngines((service) => {
    it('cannot undo twice, nor after 72 hours, nor a later change', async () => {
      const person = await someone(service)
      const first = await changeEmail(service, person)
      assertSucceeded(await undoChange(service, first.undoToken))
      const again = await logInAfterUndo(service, person)
      const second = await changeEmail(service, again)
      assertRefused(await undoChange(service, first.undoToken), 400, NOT_UNDONE)
      assert.equal(await emailOf(service, person.userId), second.newEmail)
      await service.advanceTime({ hours: 72 })
      assertRefused(await undoChange(service, second.undoToken), 400, NOT_UNDONE)
      assert.equal(await emailOf(service, person.userId), second.newEmail)
    })

    it('changes nothing by opening the link', async () => {
      const person = await someone(service)
      const { undoToken, newEmail: to } = await changeEmail(service, person)
      const { path } = await linkFor(service, person.email)
      assert.equal(path, `/undo-email-change?token=${undoToken}`)
      const visitor = new PageVisitor(service)
      for (const _ of [1, 2]) assert.equal((await visitor.get(path)).status, 200)
      assert.equal(await emailOf(service, person.userId), to)
      await assertAlive(service, person)
    })
  })
})
