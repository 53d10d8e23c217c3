import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import {
  assertAlike,
  assertAlive,
  countAccounts,
  countSessions,
  listSessions,
  newResetCode,
  otherThan,
  register,
  removePassword,
  reset,
  someone,
  tryLogIn,
} from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  codeFor,
  eventTypes,
  linkFor,
  mailsTo,
  newEmail,
  PASSWORD,
  type Person,
  post,
} from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { PageVisitor } from '../support/page-visitor.ts'
import { addressesOfEachKind, assertLimited, from, LIMITED, newAddress } from '../support/rate-limits.ts'
import { onBothEngines, type Service, startService } from '../support/service.ts'

const INVALID_CODE = 'Invalid or expired code to log in'
const ask = (service: { url: string }, email: string, options = {}) =>
  post(service, '/api/log-in/code', { email }, options)
const logInWith = (service: { url: string }, email: string, code: string) =>
  post(service, '/api/log-in/code/verify', { email, code })
async function newLogInCode(service: Service, email: string): Promise<string> {
  assertSucceeded(await ask(service, email))
  return codeFor(service, email)
}

describe('a log-in with a mailed code', () => {
  onBothEngines((service) => {
    it('begins a session that shows how it began', async () => {
      const { email, userId } = await someone(service)
      const response = await logInWith(service, email, await newLogInCode(service, email))
      assertSucceeded(response)
      assert.equal(response.body.message, 'Login successful')
      const { accessToken, refreshToken, session, user } = response.body.data
      assert.equal(user.userId, userId)
      const person: Person = { email, password: '', userId, accessToken, refreshToken, sessionId: session.sessionId }
      await assertAlive(service, person)
      const [current] = (await listSessions(service, person)).filter(({ isCurrent }) => isCurrent)
      assert.deepEqual({ ...current, authMethod: 'mailed-code', methods: ['mail'] }, current)
      assert.deepEqual((await eventTypes(service, person)).slice(0, 2), ['session.started', 'log-in.code-requested'])
    })

    it('works with the token of the link, and for an account without a password', async () => {
      const { email } = await someone(service)
      await removePassword(service, email)
      await ask(service, email)
      const { path, token } = await linkFor(service, email)
      assert.match(path, /^\/log-in\/code\/verify\?token=[0-9a-f]{32}$/)
      assertSucceeded(await logInWith(service, email, token))
    })

    it('responds alike to an unknown, an unverified and a verified address, and mails to the verified only', async () => {
      const kinds = await addressesOfEachKind(service)
      const asked = []
      for (const email of Object.values(kinds)) asked.push({ email, response: await ask(service, email) })
      assertAlike(...asked)
      const verified = []
      for (const email of Object.values(kinds)) verified.push({ email, response: await logInWith(service, email, 'x') })
      assertAlike(...verified)
      assert.deepEqual(await mailsTo(service, kinds.unknown), [])
      const subjects = async (email: string) => (await mailsTo(service, email)).map(({ subject }) => subject)
      assert.deepEqual(await subjects(kinds.unverified), ['Verify your e-mail address - Portico'])
      assert.deepEqual(await subjects(kinds.verified), ['Your code to log in - Portico'])
    })

    it('never creates or verifies an account', async () => {
      const email = newEmail()
      await ask(service, email)
      assertRefused(await logInWith(service, email, '000000'), 400, INVALID_CODE)
      assert.equal(await countAccounts(service, email), 0)
      const unverified = await register(service)
      await ask(service, unverified.email)
      assertRefused(await logInWith(service, unverified.email, unverified.code), 400, INVALID_CODE)
      assertRefused(await tryLogIn(service, unverified.email, PASSWORD), 403)
    })

    it('accepts one code at a time, once, for ten minutes; its link for an hour', async () => {
      const { email } = await someone(service)
      const first = await newLogInCode(service, email)
      const { token } = await linkFor(service, email)
      const second = await newLogInCode(service, email)
      for (const old of first === second ? [token] : [first, token])
        assertRefused(await logInWith(service, email, old), 400, INVALID_CODE)
      assertSucceeded(await logInWith(service, email, second))
      assertRefused(await logInWith(service, email, second), 400, INVALID_CODE)
      const late = await newLogInCode(service, email)
      const link = await linkFor(service, email)
      await service.advanceTime({ minutes: 10 })
      assertRefused(await logInWith(service, email, late), 400, INVALID_CODE)
      await service.advanceTime({ minutes: 50 })
      assertRefused(await logInWith(service, email, link.token), 400, INVALID_CODE)
      await deleteExpiredRows(service.portico.database)
    })

    it('refuses the code of another address and of another purpose', async () => {
      const [person, other] = [await someone(service), await someone(service)]
      await ask(service, person.email)
      const { token } = await linkFor(service, person.email)
      assertRefused(await logInWith(service, other.email, token), 400, INVALID_CODE)
      await newResetCode(service, other.email)
      assertRefused(await logInWith(service, other.email, (await linkFor(service, other.email)).token), 400)
      assertRefused(await reset(service, person.email, token), 400)
      assertSucceeded(await logInWith(service, person.email, token))
    })

    it('compares five wrong codes at most; of 64 right ones at once, one wins', async () => {
      const [guessed, raced] = [await someone(service), await someone(service)]
      const right = await newLogInCode(service, guessed.email)
      const wrong = Array.from({ length: 64 }, () => logInWith(service, guessed.email, otherThan(right)))
      for (const response of await Promise.all(wrong)) assertRefused(response, 400, INVALID_CODE)
      assertRefused(await logInWith(service, guessed.email, right), 400, INVALID_CODE)
      assert.equal(await countSessions(service, guessed.userId), 1)

      const code = await newLogInCode(service, raced.email)
      const all = await Promise.all(Array.from({ length: 64 }, () => logInWith(service, raced.email, code)))
      assert.equal(all.filter(({ status }) => status === 200).length, 1)
      assert.equal(await countSessions(service, raced.userId), 2)
    })

    it('is offered on the pages: by digits, or by a link that does nothing when it is opened', async () => {
      const { email, userId } = await someone(service)
      const visitor = new PageVisitor(service)
      assert.match((await visitor.get('/log-in')).body, /href="\/log-in\/code\?return_to=%2Faccount">Mail me a code/)
      const asked = await visitor.submit('/log-in/code', 'code', { email, return_to: '/account/security' })
      assert.equal(
        asked.location,
        `/log-in/code/verify?${new URLSearchParams({ email, return_to: '/account/security' })}`,
      )
      assert.match((await visitor.get(asked.location)).body, /If there is an account with that address/)
      const { path, token } = await linkFor(service, email)
      const opened = await new PageVisitor(service).get(path)
      assert.match(opened.body, new RegExp(`name="email"[^>]*|value="${email}"`))
      assert.match(opened.body, new RegExp(`name="code" value="${token}"`))
      assert.equal(await countSessions(service, userId), 1)
      const code = await codeFor(service, email)
      const wrong = await visitor.submit('/log-in/code/verify', 'verify', { email, code: otherThan(code) })
      assert.equal(wrong.status, 400)
      assert.match(wrong.body, /role="alert">Invalid or expired code to log in/)
      const done = await visitor.submit('/log-in/code/verify', 'verify', {
        email,
        code,
        return_to: '/account/security',
      })
      assert.equal(done.location, '/account/security')
      assert.equal((await visitor.get('/account')).status, 200)
      const dead = await new PageVisitor(service).get(path)
      assert.match(dead.body, /This link is too old or was used already/)
      const evil = await new PageVisitor(service).submit('/log-in/code', 'code', { email, return_to: '//evil.example' })
      assert.match(evil.location, /return_to=%2Faccount$/)
    })
  })
})

describe('the limits of mailed codes', () => {
  onBothEngines((service) => {
    it('count the requests for an e-mail from an address, alike for every kind', async () => {
      for (const email of Object.values(await addressesOfEachKind(service))) {
        const client = from(newAddress())
        for (let number = 0; number < 5; number++) assertSucceeded(await ask(service, email, client))
        assertLimited(await ask(service, email, client), 'code', 5, 900)
        assertSucceeded(await ask(service, email, from(newAddress())))
      }
    })
  }, LIMITED)
})

describe('with MAILED_CODE_LOG_IN=off', () => {
  it('there is no log-in with a mailed code, on the API and on the pages', async (t) => {
    const service = await startService('sqlite', { MAILED_CODE_LOG_IN: 'off' })
    cleanUp(t, () => service.close())
    const { email } = await someone(service)
    for (const response of [await ask(service, email), await logInWith(service, email, '123456')]) {
      assertRefused(response, 404, 'Logging in with a mailed code is turned off')
      assert.equal(response.body.code, 'mailed_code_log_in_off')
    }
    assert.deepEqual(await mailsTo(service, email), [])
    const visitor = new PageVisitor(service)
    for (const path of ['/log-in/code', '/log-in/code/verify']) assert.equal((await visitor.get(path)).status, 404)
    assert.doesNotMatch((await visitor.get('/log-in')).body, /Mail me a code/)
  })
})
