import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashesStarted } from '../../src/accounts/password-hash.ts'
import { someone } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  type CallOptions,
  del,
  logIn,
  mailsTo,
  newEmail,
  PASSWORD,
  post,
  registration,
} from '../support/api.ts'
import { assertLimited, failLogIn, from, LIMITED, newAddress, times, WRONG_PASSWORD } from '../support/rate-limits.ts'
import { onBothEngines } from '../support/service.ts'
import { withRealHashes } from '../support/test-speed.ts'

const NEW_PASSWORDS = { password: 'Other-Horse-8', confirmPassword: 'Other-Horse-8' }
const NEW_PASSWORD = { newPassword: 'Other-Horse-8', confirmPassword: 'Other-Horse-8' }

describe('the rate limit of password hashes', () => {
  withRealHashes()
  onBothEngines(
    (service) => {
      /** Log-ins from these addresses are admitted. The next one, from an unused address, is refused by this limit. */
      async function assertNetworkLimited(addresses: string[], next: string, name: string, count: number) {
        for (const address of addresses) assertRefused(await failLogIn(service, newEmail(), from(address)), 401)
        const computed = hashesStarted()
        assertLimited(await failLogIn(service, newEmail(), from(next)), name, count, 60)
        assert.equal(hashesStarted(), computed)
      }

      it('applies to an address, whichever accounts it names', async () => {
        const address = newAddress()
        await assertNetworkLimited([address, address], address, 'password', 2)
      })

      it('applies to an IPv4 /24, at four times the rate of an address', async () => {
        const addresses = Array.from({ length: 8 }, (_, number) => `192.0.2.${number}`)
        await assertNetworkLimited(addresses, '192.0.2.255', 'password-24', 8)
        assertRefused(await failLogIn(service, newEmail(), from('192.0.3.1')), 401)
      })

      it('applies to an IPv6 /56, at twice the rate of an address', async () => {
        const addresses = ['00', '01', '7f', 'fe'].map((subnet) => `2001:db8:1:ab${subnet}::1`)
        await assertNetworkLimited(addresses, '2001:db8:1:abff::1', 'password-56', 4)
        assertRefused(await failLogIn(service, newEmail(), from('2001:db8:1:ac00::1')), 401)
      })

      it('applies to an IPv6 /48, at four times the rate of an address', async () => {
        const addresses = Array.from({ length: 8 }, (_, number) => `2001:db8:2:${number}00::1`)
        await assertNetworkLimited(addresses, '2001:db8:2:ff00::1', 'password-48', 8)
        assertRefused(await failLogIn(service, newEmail(), from('2001:db8:3::1')), 401)
      })

      it('never refuses the owner at another address', async () => {
        const person = await someone(service)
        const here = from(newAddress())
        await times(3, () => failLogIn(service, newEmail(), here))
        assertLimited(await failLogIn(service, person.email, here), 'password', 2, 60)
        await logIn(service, person, from(newAddress()))
      })

      it('does not affect the neighbours of an address, however often that address is refused', async () => {
        const flooding = from('203.0.113.1')
        await times(2, () => failLogIn(service, newEmail(), flooding))
        await times(20, async () => assertLimited(await failLogIn(service, newEmail(), flooding), 'password', 2, 60))
        assertRefused(await failLogIn(service, newEmail(), from('203.0.113.2')), 401)
      })

      it('admits again when the clock that opened its window was ahead and has been set back', async () => {
        const here = from(newAddress())
        await times(2, () => failLogIn(service, newEmail(), here))
        assertLimited(await failLogIn(service, newEmail(), here), 'password', 2, 60)
        const { query } = service.portico.database
        await query
          .updateTable('rate_limits')
          .set((eb) => ({ resets_at: eb('resets_at', '+', 24 * 60 * 60_000) }))
          .execute()
        assertRefused(await failLogIn(service, newEmail(), here), 401)
      })

      it('admits again after its window', async () => {
        const here = from(newAddress())
        await times(2, () => failLogIn(service, newEmail(), here))
        assertLimited(await failLogIn(service, newEmail(), here), 'password', 2, 60)
        await service.advanceTime({ minutes: 1 })
        assertRefused(await failLogIn(service, newEmail(), here), 401)
      })

      for (const [what, attempt] of Object.entries<(here: CallOptions) => Promise<ApiResponse>>({
        'log-in': (here) => failLogIn(service, newEmail(), here),
        'create-account': (here) => post(service, '/api/create-account', registration(), here),
        'reset-password': (here) =>
          post(service, '/api/reset-password', { email: newEmail(), resetToken: '123456', ...NEW_PASSWORDS }, here),
        'change-password': async (here) =>
          post(
            service,
            '/api/change-password',
            { currentPassword: WRONG_PASSWORD, ...NEW_PASSWORD },
            {
              ...here,
              as: await someone(service),
            },
          ),
        'delete-user': async (here) =>
          del(service, '/api/delete-user', { password: WRONG_PASSWORD }, { ...here, as: await someone(service) }),
      })) {
        it(`is shared by all operations that hash, among them ${what}`, async () => {
          const here = from(newAddress())
          await times(2, () => failLogIn(service, newEmail(), here))
          const computed = hashesStarted()
          assertLimited(await attempt(here), 'password', 2, 60)
          assert.equal(hashesStarted(), computed)
          // The limit counts computed hashes: from an address that is not limited, this is one hash.
          await attempt(from(newAddress()))
          assert.equal(hashesStarted(), computed + 1)
        })
      }

      it('counts both hashes of a change of password', async () => {
        const person = await someone(service)
        const here = from(newAddress())
        const body = { currentPassword: PASSWORD, ...NEW_PASSWORD }
        assertSucceeded(await post(service, '/api/change-password', body, { ...here, as: person }))
        assertLimited(await failLogIn(service, newEmail(), here), 'password', 2, 60)
      })
    },
    { ...LIMITED, RATE_LIMIT_PASSWORD: '2/1m' },
  )
})

describe('the rate limit of registrations', () => {
  onBothEngines(
    (service) => {
      const create = (address: string, email = newEmail()) =>
        post(service, '/api/create-account', registration({ email }), from(address))

      it('applies to an address: a refused registration creates no account, mail or hash', async () => {
        const address = newAddress()
        await times(2, async () => assertSucceeded(await create(address), 201))
        const [email, computed] = [newEmail(), hashesStarted()]
        assertLimited(await create(address, email), 'registration', 2, 3600)
        assert.equal(hashesStarted(), computed)
        assert.equal(await service.portico.store.findByEmail(email), undefined)
        assert.deepEqual(await mailsTo(service, email), [])
        assertSucceeded(await create(newAddress(), email), 201)
        // The other operations are not limited for that address.
        assertRefused(await failLogIn(service, newEmail(), from(address)), 401)
      })

      it('does not affect the neighbours of an address, however often that address is refused', async () => {
        const flooding = '198.51.100.1'
        await times(2, async () => assertSucceeded(await create(flooding), 201))
        await times(20, async () => assertLimited(await create(flooding), 'registration', 2, 3600))
        assertSucceeded(await create('198.51.100.2'), 201)
        await times(2, async () => assertSucceeded(await create('2001:db8:9:1::1'), 201))
        await times(20, async () => assertLimited(await create('2001:db8:9:1::1'), 'registration', 2, 3600))
        assertSucceeded(await create('2001:db8:9:2::1'), 201)
      })

      it('counts registrations of an e-mail address that is taken', async () => {
        const { email } = await someone(service)
        const address = newAddress()
        await times(2, async () => assertRefused(await create(address, email), 409))
        assertLimited(await create(address, email), 'registration', 2, 3600)
      })

      it('applies to the networks of an address', async () => {
        const { email } = await someone(service)
        for (let number = 0; number < 8; number++) assertRefused(await create(`192.0.2.${number}`, email), 409)
        assertLimited(await create('192.0.2.9', email), 'registration-24', 8, 3600)
        for (let number = 0; number < 4; number++) {
          assertRefused(await create(`2001:db8:1:${number}::1`, email), 409)
        }
        assertLimited(await create('2001:db8:1:4::1', email), 'registration-56', 4, 3600)
      })
    },
    { ...LIMITED, RATE_LIMIT_REGISTRATION: '2/1h' },
  )
})
