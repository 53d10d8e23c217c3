import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashesStarted } from '../../src/accounts/password-hash.ts'
import { crowd, someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, del, get, logIn, newEmail, PASSWORD, post } from '../support/api.ts'
import { assertLimited, failLogIn, from, LIMITED, newAddress, times, WRONG_PASSWORD } from '../support/rate-limits.ts'
import { onBothEngines } from '../support/service.ts'

const NEW_PASSWORDS = { newPassword: 'Other-Horse-8', confirmPassword: 'Other-Horse-8' }

describe('the rate limits of passwords', () => {
  onBothEngines((service) => {
    it('admit five log-ins a minute, and then not even the right password', async () => {
      const person = await someone(service)
      const here = from(newAddress())
      for (const response of await times(5, () => failLogIn(service, person.email, here))) assertRefused(response, 401)
      const { email, password } = person
      assertLimited(await post(service, '/api/log-in', { email, password }, here), 'login', 5, 60)

      await service.advanceTime({ seconds: 55 })
      assertLimited(await post(service, '/api/log-in', { email, password }, here), 'login', 5, 60)
      await service.advanceTime({ seconds: 5 })
      assertSucceeded(await post(service, '/api/log-in', { email, password }, here))
    })

    it('count successful log-ins too', async () => {
      const person = await someone(service)
      const here = from(newAddress())
      await times(5, () => logIn(service, person, here))
      assertLimited(await failLogIn(service, person.email, here), 'login', 5, 60)
    })

    it('admit the owner from another address, and other users from the same address', async () => {
      const [victim, other] = await crowd(service, 2)
      assert.ok(victim && other)
      const here = from(newAddress())
      await times(6, () => failLogIn(service, victim.email, here))
      assertLimited(await failLogIn(service, victim.email, here), 'login', 5, 60)
      await logIn(service, victim, from(newAddress()))
      await logIn(service, other, here)
    })

    it('count every spelling of an e-mail address as one, and unknown addresses like known ones', async () => {
      for (const email of [(await someone(service)).email, newEmail()]) {
        const here = from(newAddress())
        const spellings = [email, email.toUpperCase(), ` ${email}`, `${email}\t`, email.replace('p', 'P')]
        for (const spelling of spellings) assertRefused(await failLogIn(service, spelling, here), 401)
        assertLimited(await failLogIn(service, email, here), 'login', 5, 60)
      }
    })

    it('are shared by log-in, change-password and delete-user', async () => {
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

    it('admit at most five of a hundred concurrent wrong passwords', async () => {
      const { email } = await someone(service)
      const statuses = await allLogInsAtOnce(email)
      assert.deepEqual([statuses.get(401), statuses.get(429)], [5, 95])
    })

    it('admit at most five of a hundred concurrent passwords to hashing', async () => {
      const { email } = await someone(service)
      const before = hashesStarted()
      await allLogInsAtOnce(email)
      assert.equal(hashesStarted() - before, 5)
    })

    async function allLogInsAtOnce(email: string): Promise<Map<number, number>> {
      const here = from(newAddress())
      const responses = await Promise.all(Array.from({ length: 100 }, () => failLogIn(service, email, here)))
      for (const response of responses) assertRefused(response, response.status)
      const groups = Map.groupBy(responses, ({ status }) => status)
      for (const response of groups.get(429) ?? []) assertLimited(response, 'login', 5, 60)
      return new Map([...groups].map(([status, { length }]) => [status, length]))
    }
  }, LIMITED)
})
