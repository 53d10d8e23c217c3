import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import { assertEnded, countAccounts, newResetCode, otherThan, someone, tryLogIn } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  del,
  eventTypes,
  logIn,
  mailsTo,
  newEmail,
  PASSWORD,
  post,
  registration,
  subjectsTo,
} from '../support/api.ts'
import { changeEmail, countRows, emailOf, logInAfterUndo, requestChange, undoChange } from '../support/email-changes.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const NOT_UNDONE = 'This change cannot be undone any more'

describe('the undoing of a change of the e-mail address', () => {
  onBothEngines((service) => {
    it('lets the old address undo it: the address is set again, and every device is signed out', async () => {
      const person = await someone(service)
      const other = await logIn(service, person)
      const { undoToken, newEmail: to } = await changeEmail(service, person)
      await requestChange(service, person, newEmail())
      await newResetCode(service, to)
      await insertSignInState(service, person.userId)
      const undone = await undoChange(service, undoToken)
      assertSucceeded(undone)
      assert.deepEqual(undone.body.data, { email: person.email })
      assert.equal(await emailOf(service, person.userId), person.email)
      for (const session of [person, other]) await assertEnded(service, session)
      for (const table of TABLES_OF_UNDO) assert.equal(await countRows(service, table, person.userId), 0, table)
      assertRefused(await tryLogIn(service, person.email, person.password), 401)
      const again = await logInAfterUndo(service, person)
      assert.ok((await eventTypes(service, again)).includes('email.change-undone'))
      assert.ok((await subjectsTo(service, person.email)).includes('The change of your e-mail address was undone'))
      assert.ok((await subjectsTo(service, to)).includes('This address no longer belongs to the account'))
      const [notice] = (await mailsTo(service, to)).filter(({ subject }) => subject.startsWith('This address'))
      assert.doesNotMatch(`${notice?.text}${notice?.html}`, /Ada|127\.0\.0\.1|@example/)
      assert.equal(await countAccounts(service, to), 0)
    })

    it('is undone once, within 72 hours', async () => {
      const [inTime, late] = [await someone(service), await someone(service)]
      const [first, second] = [await changeEmail(service, inTime), await changeEmail(service, late)]
      await service.advanceTime({ hours: 71, minutes: 59 })
      assertSucceeded(await undoChange(service, first.undoToken))
      assertRefused(await undoChange(service, first.undoToken), 400, NOT_UNDONE)
      await service.advanceTime({ minutes: 1 })
      assertRefused(await undoChange(service, second.undoToken), 400, NOT_UNDONE)
      assert.equal(await emailOf(service, late.userId), second.newEmail)
      await deleteExpiredRows(service.portico.database)
      assert.equal(await countRows(service, 'email_undos', late.userId), 0)
    })

    it('cannot be undone with a made-up token, nor after the account was deleted', async () => {
      const person = await someone(service)
      const { undoToken, newEmail: to } = await changeEmail(service, person)
      for (const token of ['0'.repeat(32), 'abc', otherThan('123456')])
        assertRefused(await undoChange(service, token), 400, NOT_UNDONE)
      assertRefused(await undoChange(service, "' or 1=1"), 400, 'Validation failed')
      assertSucceeded(await del(service, '/api/delete-user', { password: PASSWORD }, { as: person }))
      assertRefused(await undoChange(service, undoToken), 400, NOT_UNDONE)
      for (const email of [person.email, to])
        assert.ok((await subjectsTo(service, email)).includes('Your account was deleted'), email)
    })

    it('reserves the old address for 72 hours, or until the account is deleted', async () => {
      const [person, other] = [await someone(service), await someone(service)]
      await changeEmail(service, person)
      const registering = () => post(service, '/api/create-account', registration({ email: person.email }))
      assertRefused(await registering(), 409, 'Email already registered')
      assert.equal(await countAccounts(service, person.email), 0)
      assertSucceeded(await requestChange(service, other, person.email))
      assert.ok(
        (await subjectsTo(service, person.email)).includes('Your e-mail address was entered for another account'),
      )
      assert.equal(await countRows(service, 'codes', other.userId), 0)
      await service.advanceTime({ hours: 72 })
      assertSucceeded(await registering(), 201)

      const [leaving] = [await someone(service)]
      await changeEmail(service, leaving)
      assertSucceeded(await del(service, '/api/delete-user', { password: PASSWORD }, { as: leaving }))
      assertSucceeded(await post(service, '/api/create-account', registration({ email: leaving.email })), 201)
    })

    it('can lead back to the old address at once', async () => {
      const person = await someone(service)
      const { newEmail: to, undoToken } = await changeEmail(service, person)
      await changeEmail(service, { ...person, email: to }, person.email)
      assert.equal(await emailOf(service, person.userId), person.email)
      assertSucceeded(await undoChange(service, undoToken))
      assert.equal(await emailOf(service, person.userId), person.email)
      assert.equal(await countRows(service, 'email_undos', person.userId), 0)
    })
  })
})

const TABLES_OF_UNDO = [
  'codes',
  'email_changes',
  'email_undos',
  'second_factor_challenges',
  'remembered_browsers',
] as const

/** A sign-in that waits for its second factor, and a remembered browser. */
async function insertSignInState({ portico: { database } }: Service, userId: string): Promise<void> {
  const later = Date.now() + 60 * 60_000
  await database.query
    .insertInto('second_factor_challenges')
    .values({
      key: userId,
      user_id: userId,
      auth_method: 'email',
      auth_methods: 'pwd',
      tries_left: 5,
      expires_at: later,
    })
    .execute()
  await database.query
    .insertInto('remembered_browsers')
    .values({
      id: userId,
      user_id: userId,
      token_hash: userId,
      browser: 'Test',
      os: 'Test',
      client_ip: '192.0.2.1',
      created_at: database.now,
      last_used_at: database.now,
      expires_at: later,
    })
    .execute()
}
