import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { register } from '../support/account-steps.ts'
import { del, get, logIn, mailsTo, newEmail, PASSWORD, post } from '../support/api.ts'
import { crowd, someone } from '../support/crowd.ts'
import { assertRefused, assertSucceeded } from '../support/envelope.ts'
import { assertLimited, failLogIn, from, LIMITED, newAddress, times, WRONG_PASSWORD } from '../support/limited.ts'
import { onBothEngines } from '../support/on-both-engines.ts'

const NEW_PASSWORDS = { newPassword: 'Other-Horse-8', confirmPassword: 'Other-Horse-8' }

describe('rate limits', () => {
  onBothEngines((service) => {
    it('let five log-ins a minute through, and then not even the right password', async () => {
      const person = await someone(service)
      const here = from(newAddress())
      for (const answer of await times(5, () => failLogIn(service, person.email, here))) assertRefused(answer, 401)
      const { email, password } = person
      assertLimited(await post(service, '/api/log-in', { email, password }, here), 'login', 5, 60)

      await service.letPass({ seconds: 55 })
      assertLimited(await post(service, '/api/log-in', { email, password }, here), 'login', 5, 60)
      await service.letPass({ seconds: 5 })
      assertSucceeded(await post(service, '/api/log-in', { email, password }, here))
    })

    it('count right log-ins too', async () => {
      const person = await someone(service)
      const here = from(newAddress())
      await times(5, () => logIn(service, person, here))
      assertLimited(await failLogIn(service, person.email, here), 'login', 5, 60)
    })

    it('keep the owner in from another address, and others in from the same', async () => {
      const [victim, other] = await crowd(service, 2)
      assert.ok(victim && other)
      const here = from(newAddress())
      await times(6, () => failLogIn(service, victim.email, here))
      assertLimited(await failLogIn(service, victim.email, here), 'login', 5, 60)
      await logIn(service, victim, from(newAddress()))
      await logIn(service, other, here)
    })

    it('count every spelling of an e-mail as one, and e-mails that nobody has like any other', async () => {
      for (const email of [(await someone(service)).email, newEmail()]) {
        const here = from(newAddress())
        const spellings = [email, email.toUpperCase(), ` ${email}`, `${email}\t`, email.replace('p', 'P')]
        for (const spelling of spellings) assertRefused(await failLogIn(service, spelling, here), 401)
        assertLimited(await failLogIn(service, email, here), 'login', 5, 60)
      }
    })

    it('are one for log-in, change-password and delete-user', async () => {
      const person = await someone(service)
      const { headers = {} } = from(newAddress())
      const signedIn = { as: person, headers }
      const change = (currentPassword: string) =>
        post(service, '/api/change-password', { currentPassword, ...NEW_PASSWORDS }, signedIn)
      const remove = (password: string) => del(service, '/api/delete-user', { password }, signedIn)

      await times(2, async () => assertRefused(await failLogIn(service, person.email, { headers }), 401))
      await times(2, async () => assertRefused(await change(WRONG_PASSWORD), 400, 'Current password is incorrect'))
      assertRefused(await remove(WRONG_PASSWORD), 400)

      assertLimited(await change(PASSWORD), 'login', 5, 60)
      assertLimited(await remove(PASSWORD), 'login', 5, 60)
      assertLimited(await failLogIn(service, person.email, { headers }), 'login', 5, 60)
      assertSucceeded(await get(service, '/api/user-details', signedIn))
      assert.ok(await service.portico.store.findById(person.userId))
    })

    it('let no more than five of a hundred wrong passwords at once be tried', async () => {
      const { email } = await someone(service)
      const statuses = await allLogInsAtOnce(email)
      assert.deepEqual([statuses.get(401), statuses.get(429)], [5, 95])
    })

    it('let no more than five of a hundred passwords at once be hashed', async () => {
      const { email } = await someone(service)
      // A hash that cannot be read makes every comparison fail aloud.
      await service.portico.database.query
        .updateTable('users')
        .set({ password_hash: 'unreadable' })
        .where('email', '=', email)
        .execute()
      const statuses = await allLogInsAtOnce(email)
      assert.deepEqual([statuses.get(500), statuses.get(429)], [5, 95])
    })

    async function allLogInsAtOnce(email: string): Promise<Map<number, number>> {
      const here = from(newAddress())
      const answers = await Promise.all(Array.from({ length: 100 }, () => failLogIn(service, email, here)))
      for (const answer of answers) assertRefused(answer, answer.status)
      const groups = Map.groupBy(answers, ({ status }) => status)
      for (const answer of groups.get(429) ?? []) assertLimited(answer, 'login', 5, 60)
      return new Map([...groups].map(([status, { length }]) => [status, length]))
    }

    it('let three reset codes in 15 minutes be asked for, by any e-mail', async () => {
      const { email } = await someone(service)
      const here = from(newAddress())
      const ask = (email: string, options = here) => post(service, '/api/forgot-password', { email }, options)
      for (const asked of [email, newEmail()]) {
        for (const answer of await times(3, () => ask(asked))) assertSucceeded(answer)
        assertLimited(await ask(asked), 'reset', 3, 900)
      }
      assert.equal((await mailsTo(service, email)).length, 3)
      assertSucceeded(await ask(email, from(newAddress())))

      await service.letPass({ minutes: 14 })
      assertLimited(await ask(email), 'reset', 3, 900)
      await service.letPass({ minutes: 1 })
      assertSucceeded(await ask(email))
      assert.equal((await mailsTo(service, email)).length, 5)
    })

    it('let three verification codes in 15 minutes be asked for, by any e-mail', async () => {
      const { email } = await register(service)
      const here = from(newAddress())
      const ask = (email: string) => post(service, '/api/email-verification/resend', { email }, here)
      for (const asked of [email, newEmail()]) {
        for (const answer of await times(3, () => ask(asked))) assertSucceeded(answer)
        assertLimited(await ask(asked), 'resend', 3, 900)
      }
      assert.equal((await mailsTo(service, email)).length, 1 + 3)
      await service.letPass({ minutes: 15 })
      assertSucceeded(await ask(email))
    })

    it('let a session call a hundred times a minute, from wherever it calls', async () => {
      const person = await someone(service)
      const read = () => get(service, '/api/user-details', { as: person, ...from(newAddress()) })
      const answers = await times(100, read)
      for (const [number, answer] of answers.entries()) {
        assertSucceeded(answer)
        assert.equal(answer.headers.get('ratelimit-policy'), '"api";q=100;w=60')
        assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`^"api";r=${99 - number};t=\\d+$`))
      }
      assertLimited(await read(), 'api', 100, 60)
      const change = await post(service, '/api/user-details', { bio: 'too late' }, { as: person })
      assertLimited(change, 'api', 100, 60)
      assert.equal((await service.portico.store.findById(person.userId))?.bio, '')

      const second = await logIn(service, person, from(newAddress()))
      assertSucceeded(await get(service, '/api/user-details', { as: second }))
      await service.letPass({ minutes: 1 })
      assertSucceeded(await read())
    })

    it('let an address call a hundred times a minute without a session, whatever it calls', async () => {
      const here = from(newAddress())
      const badToken = { accessToken: 'x', sessionId: 'y' }
      await times(25, async () => {
        assertRefused(await get(service, '/api/user-details', here), 401)
        assertRefused(await get(service, '/api/sessions', { as: badToken, ...here }), 401)
        assertRefused(await post(service, '/api/create-account', {}, here), 400)
        assertRefused(await post(service, '/api/log-in', '{', here), 400)
      })
      assertLimited(await get(service, '/api/user-details', here), 'api', 100, 60)
      assertLimited(await get(service, '/api/sessions', { as: badToken, ...here }), 'api', 100, 60)
      assertLimited(await post(service, '/api/create-account', {}, here), 'api', 100, 60)

      const person = await someone(service)
      assertSucceeded(await get(service, '/api/user-details', { as: person, ...here }))
      assertRefused(await post(service, '/api/create-account', {}, from(newAddress())), 400)
    })

    it('store neither e-mail nor address nor session in clear', async () => {
      const person = await someone(service)
      const address = newAddress()
      await failLogIn(service, person.email, from(address))
      await get(service, '/api/user-details', { as: person, ...from(address) })
      const rows = await service.portico.database.query.selectFrom('rate_limits').selectAll().execute()
      assert.ok(rows.length > 0)
      for (const { key } of rows) assert.match(key, /^[\w-]{43}$/)
    })
  }, LIMITED)
})
