import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, get, post } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { assertLimited, failLogIn, from, LIMITED, newAddress, times } from '../support/rate-limits.ts'
import { ENGINES, onBothEngines, startOn, temporaryDatabase } from '../support/service.ts'

describe('configured rate limits', () => {
  onBothEngines(
    (service) => {
      it('replace the default ones, each independently', async () => {
        const { email } = await someone(service)
        const here = from(newAddress())
        await times(2, async () => assertRefused(await failLogIn(service, email, here), 401))
        assertLimited(await failLogIn(service, email, here), 'login', 2, 3600)
        await service.advanceTime({ minutes: 59 })
        assertLimited(await failLogIn(service, email, here), 'login', 2, 3600)
        await times(3, async () => assertSucceeded(await post(service, '/api/forgot-password', { email }, here)))
        assertLimited(await post(service, '/api/forgot-password', { email }, here), 'reset', 3, 900)
      })
    },
    { ...LIMITED, RATE_LIMIT_LOGIN: '2/1h' },
  )
})

describe('the general rate limit', () => {
  onBothEngines(
    (service) => {
      it('counts every request below /api, also to public and unknown paths', async () => {
        const spelled = ['/%61pi/openapi.json', '/%61pi/github%2Dcontributions?a=b']
        for (const path of ['/api/openapi.json', '/api/github-contributions', '/api/unknown', '/api', ...spelled]) {
          const here = from(newAddress())
          await times(3, async () => assert.notEqual((await get(service, path, here)).status, 429))
          assertLimited(await get(service, path, here), 'api', 3, 60)
          assertLimited(await post(service, '/api/nothing', {}, here), 'api', 3, 60)
          for (const page of ['/', '/unknown']) assert.notEqual((await get(service, page, here)).status, 429)
        }
      })

      it('counts an operation once', async () => {
        const here = from(newAddress())
        await times(3, async () => assertRefused(await get(service, '/api/sessions', here), 401))
        assertLimited(await get(service, '/api/sessions', here), 'api', 3, 60)
      })
    },
    { ...LIMITED, RATE_LIMIT_API: '3/1m' },
  )
})

describe('rate limits of two instances on one database', () => {
  for (const engine of ENGINES) {
    it(`count together on ${engine}`, async (t) => {
      const env = { ...(await temporaryDatabase(t, engine)), ...LIMITED }
      const first = await startOn(env)
      cleanUp(t, () => first.close())
      const second = await startOn(env)
      cleanUp(t, () => second.close())
      const { email } = await someone(first)
      const here = from(newAddress())
      await times(5, async (n) => assertRefused(await failLogIn(n % 2 ? first : second, email, here), 401))
      for (const instance of [first, second]) assertLimited(await failLogIn(instance, email, here), 'login', 5, 60)
    })
  }
})

describe('a service in development', () => {
  onBothEngines((service) => {
    it('limits nothing', async () => {
      const { email } = await someone(service)
      for (const response of await times(20, () => failLogIn(service, email))) {
        assertRefused(response, 401)
        assert.equal(response.headers.get('ratelimit'), null)
      }
      for (const response of await times(110, () => get(service, '/api/user-details'))) assertRefused(response, 401)
    })
  })
})
