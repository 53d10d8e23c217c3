import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { countAccounts, NEW_PASSWORD, newResetCode, reset, someone, tryLogIn } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  fieldCodesOf,
  fieldsOf,
  mailsTo,
  newEmail,
  PASSWORD,
  post,
  registration,
} from '../support/api.ts'
import { type BreachedList, startBreachedList } from '../support/breached-passwords.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { ENGINES, type Service, startService } from '../support/service.ts'

const BREACHED = 'Breached-Horse-9'
const MESSAGE = 'Password is known from a data breach, please choose another one'

function assertBreached(response: ApiResponse, field: string): void {
  assertRefused(response, 400, 'Validation failed')
  assert.deepEqual(fieldCodesOf(response), { [field]: 'breached_password' })
  assert.deepEqual(fieldsOf(response), { [field]: MESSAGE })
}

describe('a breached password', () => {
  for (const engine of ENGINES) {
    describe(`on ${engine}`, () => {
      const suite = suiteCleanUp()
      let list: BreachedList
      let service: Service
      before(async () => {
        list = await startBreachedList(suite, [BREACHED, PASSWORD])
        service = await startService(engine, { BREACHED_PASSWORDS_URL: list.url })
        cleanUp(suite, () => service.close())
      })
      const register = (email: string, password: string) =>
        post(service, '/api/create-account', registration({ email, password, confirmPassword: password }))

      it('cannot be chosen at registration, alike for a free and a taken address', async () => {
        const [free, { email: taken }] = [newEmail(), await someone(service)]
        for (const email of [free, taken]) assertBreached(await register(email, BREACHED), 'password')
        assert.equal(await countAccounts(service, free), 0)
        assert.deepEqual(await mailsTo(service, free), [])
        assertSucceeded(await register(free, NEW_PASSWORD), 201)
        assertRefused(await register(taken, NEW_PASSWORD), 409)
      })

      it('cannot be set by change-password, and the old one stays', async () => {
        const person = await someone(service)
        const change = (newPassword: string, currentPassword = PASSWORD) =>
          post(
            service,
            '/api/change-password',
            { currentPassword, newPassword, confirmPassword: newPassword },
            { as: person },
          )
        assertBreached(await change(BREACHED), 'newPassword')
        assertRefused(await change(BREACHED, 'Wrong-Horse-7'), 400, 'Current password is incorrect')
        assertSucceeded(await tryLogIn(service, person.email, PASSWORD))
        assertSucceeded(await change(NEW_PASSWORD))
      })

      it('cannot be set by reset-password, and does not use up the code', async () => {
        const { email } = await someone(service)
        const code = await newResetCode(service, email)
        assertBreached(await reset(service, email, code, BREACHED), 'password')
        assertBreached(await reset(service, newEmail(), code, BREACHED), 'password')
        assertSucceeded(await reset(service, email, code))
        assertSucceeded(await tryLogIn(service, email, NEW_PASSWORD))
      })

      it('can still be used to log in by those who have it', async () => {
        const { email } = await someone(service)
        const asked = list.requests.length
        assertSucceeded(await tryLogIn(service, email, PASSWORD))
        assert.equal(list.requests.length, asked)
      })

      it('is not looked up when another rule refuses it', async () => {
        const asked = list.requests.length
        assertRefused(await register(newEmail(), 'short'), 400)
        assert.equal(list.requests.length, asked)
      })

      it('is accepted while the list does not respond', async () => {
        list.fault = { status: 503, body: '' }
        assertSucceeded(await register(newEmail(), BREACHED), 201)
        list.fault = undefined
      })
    })
  }
})
