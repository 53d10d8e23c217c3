import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tidy } from '../../src/housekeeping.ts'
import {
  assertAlive,
  assertEnded,
  countAccounts,
  newResetCode,
  otherThan,
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
  del,
  eventTypes,
  fieldsOf,
  linkFor,
  logIn,
  mailsTo,
  newEmail,
  PASSWORD,
  post,
  registration,
} from '../support/api.ts'
import {
  changeEmail,
  confirmChange,
  emailOf,
  logInAfterUndo,
  requestChange,
  undoChange,
} from '../support/email-changes.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const INVALID_CODE = 'Invalid or expired code for the new address'
const NOT_UNDONE = 'This change cannot be undone any more'
const subjectsTo = async (service: Service, email: string) =>
  (await mailsTo(service, email)).map(({ subject }) => subject.replace(' - Portico', '')).sort()

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
      await tidy(service.portico.database)
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
      await tidy(service.portico.database)
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

const TABLES_OF_UNDO = [
  'codes',
  'email_changes',
  'email_undos',
  'second_factor_challenges',
  'remembered_browsers',
] as const

async function countRows(
  { portico: { database } }: Service,
  table: (typeof TABLES_OF_UNDO)[number] | 'linked_accounts',
  userId: string,
): Promise<number> {
  return (await database.query.selectFrom(table).select('user_id').where('user_id', '=', userId).execute()).length
}

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
