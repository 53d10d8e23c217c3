import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertAlive,
  countSessions,
  NEW_PASSWORD,
  newResetCode,
  register,
  reset,
  tryLogIn,
  tryRefresh,
  verify,
} from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  eventTypes,
  fieldsOf,
  mailsTo,
  PASSWORD,
  post,
  signUp,
} from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/
const WRONG = 'Invalid email or password'

describe('log-in', () => {
  onBothEngines((service) => {
    it('responds with tokens, the session and the user, and nothing else', async () => {
      const { email, userId } = await signUp(service)
      const response = await tryLogIn(service, email, PASSWORD)
      assertSucceeded(response)
      const { accessToken, refreshToken, session, user, ...rest } = response.body.data
      assert.deepEqual(rest, {})
      assert.match(accessToken, JWT)
      assert.match(refreshToken, JWT)
      assert.deepEqual(Object.keys(session).sort(), ['browser', 'device', 'os', 'sessionId'])
      const username = (await service.portico.store.findByEmail(email))?.username
      assert.deepEqual(user, { userId, email, firstName: 'Grace', lastName: 'Hopper', username })
    })

    it('begins a session of its own, beside the others, and adds a security event', async () => {
      const first = await signUp(service)
      const { body } = await tryLogIn(service, first.email, PASSWORD)
      const { accessToken, refreshToken, session } = body.data
      const second = { ...first, accessToken, refreshToken, sessionId: session.sessionId }
      assert.notEqual(second.sessionId, first.sessionId)
      await assertAlive(service, first)
      await assertAlive(service, second)
      assertSucceeded(await tryRefresh(service, second))
      const events = await eventTypes(service, first)
      assert.equal(events.filter((type) => type === 'session.started').length, 2)
    })

    it('accepts the address with surrounding blanks and in any case', async () => {
      const { email } = await signUp(service)
      const response = await tryLogIn(service, ` ${email.toUpperCase()} `, PASSWORD)
      assertSucceeded(response)
      assert.equal(response.body.data.user.email, email)
    })

    it('requires the password exactly as it was chosen', async () => {
      const password = ' Blanks-Count-9 '
      const person = await signUp(service, { password, confirmPassword: password })
      assertSucceeded(await tryLogIn(service, person.email, password))
      for (const other of [password.trim(), password.toLowerCase(), `${password} `]) {
        assertRefused(await tryLogIn(service, person.email, other), 401, WRONG)
      }
    })

    it('leaves the code of an unverified account unchanged', async () => {
      const { email, code } = await register(service)
      for (let round = 0; round < 6; round++) assertRefused(await tryLogIn(service, email, PASSWORD), 403)
      assert.equal((await mailsTo(service, email)).length, 1)
      assertSucceeded(await verify(service, email, code))
    })

    it('starts no session when the password is reset while it is being checked', async (t) => {
      const { email, userId } = await signUp(service)
      const code = await newResetCode(service, email)
      const { store } = service.portico
      const { findByEmail } = store
      // The log-in has read the old hash. Before it continues, the reset completes.
      const resetMeanwhile = async (address: string) => {
        const user = await findByEmail(address)
        assertSucceeded(await reset(service, email, code))
        return user
      }
      t.mock.method(store, 'findByEmail', resetMeanwhile, { times: 1 })
      assertRefused(await tryLogIn(service, email, PASSWORD), 401, WRONG)
      assert.equal(await countSessions(service, userId), 1)
      assertSucceeded(await tryLogIn(service, email, NEW_PASSWORD))
    })

    it('reports every missing field', async () => {
      const response = await post(service, '/api/log-in', {})
      assertRefused(response, 400, 'Validation failed')
      assert.deepEqual(fieldsOf(response), { email: 'Email is required', password: 'Password is required' })
    })

    const faulty: [string, Record<string, unknown>, string][] = [
      ['an invalid address', { email: 'nobody' }, 'email'],
      ['an object for an address', { email: { $ne: 1 } }, 'email'],
      ['null for an address', { email: null }, 'email'],
      ['an empty password', { password: '' }, 'password'],
      ['a number for a password', { password: 12345678 }, 'password'],
      ['a list for a password', { password: [PASSWORD] }, 'password'],
      ['an object for a password', { password: { $ne: 1 } }, 'password'],
    ]
    for (const [what, fault, field] of faulty) {
      it(`refuses ${what}`, async () => {
        const { email } = await signUp(service)
        const response = await post(service, '/api/log-in', { email, password: PASSWORD, ...fault })
        assertRefused(response, 400, 'Validation failed')
        assert.deepEqual(Object.keys(fieldsOf(response)), [field])
      })
    }
  })
})
