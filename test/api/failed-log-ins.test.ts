import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crowd, everythingStored, removePassword, someone, tryLogIn } from '../support/accounts.ts'
import { assertRefused, eventTypes, get, newEmail, type Person, post } from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

const WRONG = 'Wrong-Horse-7'
const MAX_EVENTS_A_DAY = 5

describe('a log-in with a wrong password', () => {
  onBothEngines((service) => {
    async function failedLogIns(as: Person): Promise<number> {
      await service.portico.refusedProofs.idle()
      return (await eventTypes(service, as)).filter((type) => type === 'log-in.failed').length
    }

    it('adds a security event to the account, with the program and the address of the request', async () => {
      const person = await someone(service)
      const headers = { 'user-agent': 'curl/8.5.0', 'x-forwarded-for': '8.8.8.8' }
      assertRefused(await tryLogIn(service, person.email, WRONG, { headers }), 401)
      await service.portico.refusedProofs.idle()
      const { body } = await get(service, '/api/security-events', { as: person })
      const [{ id: _, createdAt: __, ...event }] = body.data.events
      assert.deepEqual(event, {
        type: 'log-in.failed',
        description: 'Somebody tried to log in with a wrong password',
        sessionId: null,
        browser: 'curl 8.5.0',
        os: 'Unknown',
        device: 'Desktop',
        ipAddress: '127.0.0.1',
      })
    })

    it('adds a security event to an account without a password too', async () => {
      const person = await someone(service)
      await removePassword(service, person.email)
      assertRefused(await tryLogIn(service, person.email, WRONG), 401)
      assert.equal(await failedLogIns(person), 1)
    })

    it(`is recorded ${MAX_EVENTS_A_DAY} times a day at most, also with concurrent requests`, async () => {
      const [victim, bystander] = (await crowd(service, 2)) as [Person, Person]
      await Promise.all(Array.from({ length: 12 }, () => tryLogIn(service, victim.email, WRONG)))
      assert.equal(await failedLogIns(victim), MAX_EVENTS_A_DAY)
      assert.equal(await failedLogIns(bystander), 0)
      await service.advanceTime({ hours: 24 })
      assertRefused(await tryLogIn(service, victim.email, WRONG), 401)
      assert.equal(await failedLogIns(victim), MAX_EVENTS_A_DAY + 1)
    })

    it('is counted separately from wrong passwords of the signed-in owner', async () => {
      const person = await someone(service)
      for (let tries = 0; tries < MAX_EVENTS_A_DAY + 2; tries++) {
        const wrong = { currentPassword: WRONG, newPassword: 'Other-Horse-8', confirmPassword: 'Other-Horse-8' }
        assertRefused(await post(service, '/api/change-password', wrong, { as: person }), 400)
      }
      assertRefused(await tryLogIn(service, person.email, WRONG), 401)
      assert.equal(await failedLogIns(person), 1)
      const types = await eventTypes(service, person)
      assert.equal(types.filter((type) => type === 'password.refused').length, MAX_EVENTS_A_DAY)
    })

    it('stores nothing for an unknown address', async () => {
      const before = await everythingStored(service)
      assertRefused(await tryLogIn(service, newEmail(), WRONG), 401)
      await service.portico.refusedProofs.idle()
      assert.deepEqual(await everythingStored(service), before)
    })

    it('gets its response before the event is written', async (t) => {
      const person = await someone(service)
      const { database, refusedProofs } = service.portico
      const { promise: slowWrite, resolve: endSlowWrite } = Promise.withResolvers<void>()
      const write = database.transaction
      t.mock.method(database, 'transaction', async (...work: Parameters<typeof write>) => {
        await slowWrite
        return write(...work)
      })
      assertRefused(await tryLogIn(service, person.email, WRONG), 401)
      assert.ok(!(await eventTypes(service, person)).includes('log-in.failed'))
      endSlowWrite()
      await refusedProofs.idle()
      assert.equal(await failedLogIns(person), 1)
    })
  })
})
