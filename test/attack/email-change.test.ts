import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import {
  assertAlike,
  assertAlive,
  assertEnded,
  countAccounts,
  crowd,
  newResetCode,
  register,
  reset,
  someone,
  tryLogIn,
  verify,
} from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  codeFor,
  get,
  linkFor,
  logIn,
  mailsTo,
  newEmail,
  PASSWORD,
  type Person,
  post,
  registration,
  signUp,
} from '../support/api.ts'
import {
  changeEmail,
  confirmChange,
  emailOf,
  logInAfterUndo,
  requestChange,
  undoChange,
} from '../support/email-changes.ts'
import { PageVisitor } from '../support/page-visitor.ts'
import { addPasskey } from '../support/passkeys.ts'
import { addressesOfEachKind, assertLimited, from, LIMITED, newAddress } from '../support/rate-limits.ts'
import { addApp } from '../support/second-factor.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const CONCURRENCY = 64
const INVALID_CODE = 'Invalid or expired code for the new address'
const NOT_UNDONE = 'This change cannot be undone any more'
const IN_USE = 'Your e-mail address was entered for another account - Portico'
// Fifty milliseconds, by a timer that may fire slightly early.
const MIN_RESPONSE_MS = 49

const wins = (responses: ApiResponse[]) => responses.filter(({ status }) => status === 200)

describe('an attacker who asks for the address of another person', () => {
  onBothEngines((service) => {
    it('does not keep the owner from registering it, and gets nothing by it', async () => {
      const attacker = await someone(service)
      const email = newEmail()
      assertSucceeded(await requestChange(service, attacker, email))
      const digits = await codeFor(service, email)
      const { token } = await linkFor(service, email)
      const owner = await signUp(service, { email })
      // Even with the code, the address is taken.
      for (const code of [digits, token]) {
        assertRefused(await confirmChange(service, attacker, code), 409, 'Email already registered')
      }
      assert.equal(await emailOf(service, attacker.userId), attacker.email)
      assert.equal(await emailOf(service, owner.userId), email)
      assertSucceeded(await tryLogIn(service, email, PASSWORD))
      await assertAlive(service, owner)
    })

    it('gains nothing when the owner enters the mailed code elsewhere, or opens the link', async () => {
      const attacker = await someone(service)
      const email = newEmail()
      assertSucceeded(await requestChange(service, attacker, email))
      const { path, token } = await linkFor(service, email)
      const code = await codeFor(service, email)
      const owner = await register(service, { email })
      if (code !== owner.code) assertRefused(await verify(service, email, code), 400)
      assertRefused(await verify(service, email, token), 400)
      const visitor = new PageVisitor(service)
      assert.equal((await visitor.get(path)).status, 303)
      const verified = await visitor.submit('/verify-email', 'verify', { email, verificationCode: owner.code })
      assert.equal(verified.location, '/account')
      const opened = await visitor.get(path)
      assert.match(opened.body, /This link is too old, was used already or belongs to another account/)
      const sent = await visitor.submit('/account/email', 'confirm', { code: token })
      assert.equal(sent.status, 400)
      assert.equal(await emailOf(service, owner.userId), email)
      assert.equal(await emailOf(service, attacker.userId), attacker.email)
    })

    it('learns nothing from the responses, nor from anything else that the account shows', async () => {
      const kinds = await addressesOfEachKind(service)
      const reserved = await someone(service)
      await changeEmail(service, reserved)
      const asked = []
      for (const email of [...Object.values(kinds), reserved.email]) {
        const attacker = await someone(service)
        const requested = await requestChange(service, attacker, email)
        const wrong = await confirmChange(service, attacker, 'no-code')
        const events = await get(service, '/api/security-events', { as: attacker })
        const data = await get(service, '/api/user-data', { as: attacker })
        const shown = {
          wrong: [wrong.status, wrong.body.code],
          events: events.body.data.events.map(({ type }: { type: string }) => type),
          pending: data.body.data.pendingEmailChanges.map(({ newEmail }: { newEmail: string }) => newEmail),
          mails: data.body.data.waitingMails
            .map(({ subject }: { subject: string }) => subject)
            .filter((subject: string) => subject !== 'Your data was downloaded'),
        }
        assertSucceeded(requested)
        asked.push({ email, response: { ...requested, body: { ...requested.body, shown } } })
      }
      assertAlike(...asked)
    })

    it('learns nothing from the time: no response is sent before the minimum time', async () => {
      for (const email of Object.values(await addressesOfEachKind(service))) {
        const attacker = await someone(service)
        for (const ask of [
          () => requestChange(service, attacker, email),
          () => confirmChange(service, attacker, 'no-code'),
        ]) {
          const begun = performance.now()
          await ask()
          assert.ok(performance.now() - begun >= MIN_RESPONSE_MS)
        }
      }
    })

    it('causes a mail to the owner without a code, and has no code to guess', async () => {
      const [attacker, owner] = [await someone(service), await someone(service)]
      assertSucceeded(await requestChange(service, attacker, owner.email))
      const mails = await mailsTo(service, owner.email)
      assert.deepEqual(
        mails.map(({ subject }) => subject),
        [IN_USE],
      )
      assert.doesNotMatch(mails[0]?.text ?? '', /\d{6}|token/)
      const { codes } = await storedOf(service, attacker)
      assert.deepEqual(codes, [])
      assertRefused(await confirmChange(service, attacker, '000000'), 400, INVALID_CODE)
      await assertAlive(service, owner)
    })

    it('cannot guess the digits: five tries, also at once, then the right ones are refused', async () => {
      const attacker = await someone(service)
      const email = newEmail()
      await requestChange(service, attacker, email)
      const right = await codeFor(service, email)
      const wrong = (number: number) => String((Number(right) + 1 + number) % 1_000_000).padStart(6, '0')
      const tries = Array.from({ length: CONCURRENCY }, (_, at) => confirmChange(service, attacker, wrong(at)))
      for (const response of await Promise.all(tries)) assertRefused(response, 400, INVALID_CODE)
      assertRefused(await confirmChange(service, attacker, right), 400, INVALID_CODE)
      assert.equal(await countAccounts(service, email), 0)
      // Fifteen an hour, over any number of codes and addresses.
      for (let request = 0; request < 4; request++) {
        await requestChange(service, attacker, newEmail())
        for (let tried = 0; tried < 5; tried++) await confirmChange(service, attacker, 'no-code')
      }
      const other = newEmail()
      await requestChange(service, attacker, other)
      assertRefused(await confirmChange(service, attacker, await codeFor(service, other)), 400, INVALID_CODE)
      assertSucceeded(await confirmChange(service, attacker, (await linkFor(service, other)).token))
    })

    it('cannot use the code of another account or another purpose', async () => {
      const [attacker, other] = [await someone(service), await someone(service)]
      const email = newEmail()
      await requestChange(service, other, email)
      await requestChange(service, attacker, newEmail())
      assertRefused(await confirmChange(service, attacker, (await linkFor(service, email)).token), 400, INVALID_CODE)
      await newResetCode(service, attacker.email)
      const { token } = await linkFor(service, attacker.email)
      assertRefused(await confirmChange(service, attacker, token), 400, INVALID_CODE)
      assertSucceeded(await reset(service, attacker.email, token))
    })
  })
})

describe('the limits of e-mail changes', () => {
  onBothEngines((service) => {
    it('bound the addresses that one account can ask for, and the mails to one address', async () => {
      const attacker = await someone(service)
      const ask = (email: string) => requestChange(service, attacker, email, { ...from(newAddress()) })
      for (let number = 0; number < 5; number++) assertSucceeded(await ask(newEmail()))
      assertLimited(await ask(newEmail()), 'code', 5, 900)

      const victim = newEmail()
      for (const person of await crowd(service, 14)) {
        await service.portico.deliveryWorker.idle()
        assertSucceeded(await requestChange(service, person, victim, from(newAddress())))
      }
      assert.equal((await mailsTo(service, victim)).length, 10)
    })

    it('leave no code of another address valid when no mail can be sent', async () => {
      const attacker = await someone(service)
      const [own, victim] = [newEmail(), newEmail()]
      for (const person of await crowd(service, 10)) {
        await service.portico.deliveryWorker.idle()
        await requestChange(service, person, victim, from(newAddress()))
      }
      assertSucceeded(await requestChange(service, attacker, own))
      const [digits, { token }] = [await codeFor(service, own), await linkFor(service, own)]
      assertSucceeded(await requestChange(service, attacker, victim))
      for (const code of [digits, token]) {
        assertRefused(await confirmChange(service, attacker, code), 400, INVALID_CODE)
      }
      assert.equal(await emailOf(service, attacker.userId), attacker.email)
    })
  }, LIMITED)
})

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

describe(`of ${CONCURRENCY} concurrent requests about an address`, () => {
  onBothEngines((service) => {
    it('one confirms a change', async () => {
      const person = await someone(service)
      const to = newEmail()
      await requestChange(service, person, to)
      const { token } = await linkFor(service, to)
      const responses = await Promise.all(
        Array.from({ length: CONCURRENCY }, () => confirmChange(service, person, token)),
      )
      assert.equal(wins(responses).length, 1)
      for (const response of responses.filter(({ status }) => status !== 200))
        assertRefused(response, 400, INVALID_CODE)
      const { email_undos } = await storedOf(service, person)
      assert.equal(email_undos.length, 1)
    })

    it('one undoes a change', async () => {
      const person = await someone(service)
      const { undoToken } = await changeEmail(service, person)
      const responses = await Promise.all(Array.from({ length: CONCURRENCY }, () => undoChange(service, undoToken)))
      assert.equal(wins(responses).length, 1)
      for (const response of responses.filter(({ status }) => status !== 200)) assertRefused(response, 400, NOT_UNDONE)
      const undone = (await mailsTo(service, person.email)).filter(({ subject }) => subject.startsWith('The change of'))
      assert.equal(undone.length, 1)
    })

    it('one of as many accounts gets an address that all have proven', async () => {
      const people = await crowd(service, CONCURRENCY)
      const to = newEmail()
      const tokens: string[] = []
      for (const person of people) {
        await requestChange(service, person, to)
        tokens.push((await linkFor(service, to)).token)
      }
      const responses = await Promise.all(people.map((person, at) => confirmChange(service, person, tokens[at] ?? '')))
      assert.equal(wins(responses).length, 1)
      for (const response of responses.filter(({ status }) => status !== 200))
        assertRefused(response, 409, 'Email already registered')
      assert.equal(await countAccounts(service, to), 1)
    })

    it('one gets an address that is confirmed, registered and verified at the same time', async () => {
      for (let round = 0; round < 8; round++) {
        const person = await someone(service)
        const to = newEmail()
        await requestChange(service, person, to)
        const { token } = await linkFor(service, to)
        const registered = round % 2 === 0 ? await register(service, { email: to }) : undefined
        const [confirmed, ...others] = await Promise.all([
          confirmChange(service, person, token),
          ...(registered
            ? [verify(service, to, registered.code)]
            : [post(service, '/api/create-account', registration({ email: to }))]),
        ])
        assert.ok([200, 409].includes(confirmed.status), JSON.stringify(confirmed.body))
        for (const { status } of others) assert.ok([200, 201, 400, 409].includes(status))
        assert.equal(await countAccounts(service, to), 1)
        if (registered) assert.notEqual(confirmed.status === 200, others[0]?.status === 200)
        else if (confirmed.status !== 200) assert.fail('an unverified registration blocks nothing')
        assert.equal(await emailOf(service, person.userId), confirmed.status === 200 ? to : person.email)
      }
    })

    it('none takes an address while its account changes to another one', async () => {
      for (let round = 0; round < 8; round++) {
        const [person, other] = [await someone(service), await someone(service)]
        const to = newEmail()
        await requestChange(service, person, to)
        const [{ token }, body] = [await linkFor(service, to), registration({ email: person.email })]
        const [changed, ...registrations] = await Promise.all([
          confirmChange(service, person, token),
          ...Array.from({ length: 4 }, () => post(service, '/api/create-account', body)),
          requestChange(service, other, person.email),
        ])
        assertSucceeded(changed)
        for (const response of registrations.slice(0, -1)) assertRefused(response, 409, 'Email already registered')
        assert.equal(await countAccounts(service, person.email), 0)
        const { codes } = await storedOf(service, other)
        assert.deepEqual(codes, [])
      }
    })
  })
})

/** The rows of an account in the tables of a change of the address. */
async function storedOf({ portico: { database } }: Service, { userId }: Person) {
  const rowsOf = (table: 'codes' | 'email_changes' | 'email_undos') =>
    database.query.selectFrom(table).select('user_id').where('user_id', '=', userId).execute()
  return {
    codes: await rowsOf('codes'),
    email_changes: await rowsOf('email_changes'),
    email_undos: await rowsOf('email_undos'),
  }
}
