import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import {
  assertAlive,
  newResetCode,
  ownProfile,
  register,
  reset,
  someone,
  tryLogIn,
  verify,
} from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  codeFor,
  eventTypes,
  fieldsOf,
  linkFor,
  logIn,
  mailsTo,
  newEmail,
  PASSWORD,
  subjectsTo,
} from '../support/api.ts'
import { changeEmail, confirmChange, countRows, emailOf, requestChange, undoChange } from '../support/email-changes.ts'
import { onBothEngines } from '../support/service.ts'

const INVALID_CODE = 'Invalid or expired code for the new address'

describe('the change of the e-mail address', () => {
  onBothEngines((service) => {
    it('mails a code to the new address, and changes nothing until it is confirmed', async () => {
      const person = await someone(service)
      const to = newEmail()
      const response = await requestChange(service, person, ` ${to.toUpperCase()} `)
      assertSucceeded(response)
      assert.deepEqual(response.body.data, { newEmail: to })
      assert.equal(await emailOf(service, person.userId), person.email)
      assert.deepEqual(await subjectsTo(service, to), ['Confirm your new e-mail address'])
      assert.deepEqual(await subjectsTo(service, person.email), [])
      const [mail] = await mailsTo(service, to)
      assert.doesNotMatch(`${mail?.text}${mail?.html}`, /Ada|@example/)

      const confirmed = await confirmChange(service, person, await codeFor(service, to))
      assertSucceeded(confirmed)
      assert.deepEqual(confirmed.body.data, { email: to })
      assert.equal((await ownProfile(service, person)).email, to)
      assert.deepEqual(await eventTypes(service, person), [
        'email.changed',
        'email.change-requested',
        'session.started',
      ])
      assert.deepEqual(await subjectsTo(service, to), [
        'Confirm your new e-mail address',
        'This is your new e-mail address',
      ])
      assert.deepEqual(await subjectsTo(service, person.email), ['Your e-mail address was changed'])
    })

    it('lets the owner log in with the new address, and with no other', async () => {
      const person = await someone(service)
      const other = await logIn(service, person)
      const { newEmail: to } = await changeEmail(service, person)
      assertSucceeded(await tryLogIn(service, to, PASSWORD))
      assertRefused(await tryLogIn(service, person.email, PASSWORD), 401)
      for (const session of [person, other]) await assertAlive(service, session)
    })

    it('works with the token of the link too', async () => {
      const person = await someone(service)
      const to = newEmail()
      await requestChange(service, person, to)
      const { path, token } = await linkFor(service, to)
      assert.match(path, /^\/account\/email\?token=[0-9a-f]{32}$/)
      assertSucceeded(await confirmChange(service, person, token))
      assert.equal(await emailOf(service, person.userId), to)
    })

    it('needs a recent proof of identity to be requested, and none to be confirmed', async () => {
      const person = await someone(service)
      await service.advanceTime({ minutes: 14 })
      const to = newEmail()
      assertSucceeded(await requestChange(service, person, to))
      await service.advanceTime({ minutes: 1 })
      const refused = await requestChange(service, person, newEmail())
      assertRefused(refused, 403)
      assert.equal(refused.body.code, 'reauthentication_required')
      assert.deepEqual(refused.body.data, { means: ['password'] })
      assertSucceeded(await confirmChange(service, person, await codeFor(service, to)))
    })

    it('refuses the own address and a text that is no address', async () => {
      const person = await someone(service)
      const own = await requestChange(service, person, person.email)
      assertRefused(own, 400, 'Validation failed')
      assert.deepEqual(fieldsOf(own), { newEmail: 'This is your address already' })
      for (const wrong of ['nobody', 'a@b', 'a@example.com,b@example.com', 'a@example.com\nBcc: b@example.com', ''])
        assertRefused(await requestChange(service, person, wrong), 400, 'Validation failed')
    })

    it('is confirmed by the code of the latest request only, and for its address only', async () => {
      const person = await someone(service)
      const [first, second] = [newEmail(), newEmail()]
      await requestChange(service, person, first)
      const firstCode = await codeFor(service, first)
      const { token } = await linkFor(service, first)
      await requestChange(service, person, second)
      const secondCode = await codeFor(service, second)
      if (firstCode !== secondCode) assertRefused(await confirmChange(service, person, firstCode), 400, INVALID_CODE)
      assertRefused(await confirmChange(service, person, token), 400, INVALID_CODE)
      assertSucceeded(await confirmChange(service, person, secondCode))
      assert.equal(await emailOf(service, person.userId), second)
      assertRefused(await confirmChange(service, person, secondCode), 400, INVALID_CODE)
    })

    it('cannot be confirmed after its time: ten minutes for the digits, an hour for the link', async () => {
      const person = await someone(service)
      const to = newEmail()
      await requestChange(service, person, to)
      const [digits, { token }] = [await codeFor(service, to), await linkFor(service, to)]
      await service.advanceTime({ minutes: 10 })
      assertRefused(await confirmChange(service, person, digits), 400, INVALID_CODE)
      await service.advanceTime({ minutes: 50 })
      assertRefused(await confirmChange(service, person, token), 400, INVALID_CODE)
      await deleteExpiredRows(service.portico.database)
      assert.equal(await countRows(service, 'email_changes', person.userId), 0)
    })

    it('ends every mailed code of the account, and withdraws the mails with codes to the old address', async () => {
      const person = await someone(service)
      const resetCode = await newResetCode(service, person.email)
      const { token } = await linkFor(service, person.email)
      const { database } = service.portico
      const to = newEmail()
      await requestChange(service, person, to)
      const code = await codeFor(service, to)
      // Mails that wait for a mail server: one with a code, and a notice.
      await database.transaction(async (tx) => {
        const values = { recipient: person.email, text_body: '', html_body: '', created_at: database.now }
        const due_at = 9_999_999_999_999
        await tx
          .insertInto('outbox')
          .values([
            { ...values, id: `${person.userId}-code`, subject: 'Reset your password', due_at, expires_at: due_at },
            { ...values, id: `${person.userId}-notice`, subject: 'A notice', due_at, expires_at: null },
          ])
          .execute()
      })
      assertSucceeded(await confirmChange(service, person, code))
      await service.portico.deliveryWorker.idle()
      const waiting = await database.query
        .selectFrom('outbox')
        .select('subject')
        .where('recipient', '=', person.email)
        .execute()
      assert.deepEqual(
        waiting.map(({ subject }) => subject),
        ['A notice'],
      )
      assert.equal(await countRows(service, 'codes', person.userId), 0)
      for (const email of [person.email, to]) {
        for (const old of [resetCode, token]) assertRefused(await reset(service, email, old), 400)
      }
      assertSucceeded(await tryLogIn(service, to, PASSWORD))
    })

    it('replaces an account with the new address that was never verified', async () => {
      const unverified = await register(service, { firstName: 'Mallory' })
      const person = await someone(service)
      await changeEmail(service, person, unverified.email)
      assert.equal(await emailOf(service, person.userId), unverified.email)
      assert.equal(await emailOf(service, unverified.userId), undefined)
      assertRefused(await verify(service, unverified.email, unverified.code), 400)
      assert.equal((await ownProfile(service, person)).firstName, 'Ada')
    })

    it('keeps linked providers', async () => {
      const person = await someone(service)
      const { database } = service.portico
      const link = {
        provider: 'codehost',
        issuer: 'https://host.example',
        subject: person.userId,
        username: 'ada',
      } as const
      await database.query
        .insertInto('linked_accounts')
        .values({ ...link, user_id: person.userId, linked_at: database.now })
        .execute()
      const { undoToken } = await changeEmail(service, person)
      assert.equal(await countRows(service, 'linked_accounts', person.userId), 1)
      await service.advanceTime({ days: 2 })
      assertSucceeded(await undoChange(service, undoToken))
      // Linked shortly before the change: a thief may have done so.
      assert.equal(await countRows(service, 'linked_accounts', person.userId), 0)
    })

    it('is refused for a session of an account that is not verified', async () => {
      const person = await someone(service)
      const { database } = service.portico
      await database.query
        .updateTable('users')
        .set({ email_verified_at: null })
        .where('id', '=', person.userId)
        .execute()
      assertRefused(await requestChange(service, person, newEmail()), 401)
      assert.equal(await countRows(service, 'email_changes', person.userId), 0)
    })
  })
})
