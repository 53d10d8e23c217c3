import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { counter } from '../../src/http/rate-limit.ts'
import { register, someone } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  del,
  get,
  logIn,
  mailsTo,
  newEmail,
  post,
} from '../support/api.ts'
import { assertLimited, failLogIn, from, LIMITED, newAddress, times, uncounted } from '../support/rate-limits.ts'
import { onBothEngines, type Service } from '../support/service.ts'

/** A code that is replaced before it was sent is not mailed: each has to be sent before the next. */
async function mailed({ portico }: Service, request: Promise<ApiResponse>): Promise<ApiResponse> {
  const response = await request
  await portico.deliveryWorker.idle()
  return response
}

describe('the rate limits', () => {
  onBothEngines((service) => {
    it('admit three requests for reset codes in 15 minutes, for any e-mail address', async () => {
      const { email } = await someone(service)
      const here = from(newAddress())
      const ask = (email: string, options = here) =>
        mailed(service, post(service, '/api/forgot-password', { email }, options))
      for (const asked of [email, newEmail()]) {
        for (const response of await times(3, () => ask(asked))) assertSucceeded(response)
        assertLimited(await ask(asked), 'reset', 3, 900)
      }
      assert.equal((await mailsTo(service, email)).length, 3)
      assertSucceeded(await ask(email, from(newAddress())))

      await service.advanceTime({ minutes: 14 })
      assertLimited(await ask(email), 'reset', 3, 900)
      await service.advanceTime({ minutes: 1 })
      assertSucceeded(await ask(email))
      assert.equal((await mailsTo(service, email)).length, 5)
    })

    it('admit three requests for verification codes in 15 minutes, for any e-mail address', async () => {
      const { email } = await register(service)
      const here = from(newAddress())
      const ask = (email: string) => mailed(service, post(service, '/api/email-verification/resend', { email }, here))
      for (const asked of [email, newEmail()]) {
        for (const response of await times(3, () => ask(asked))) assertSucceeded(response)
        assertLimited(await ask(asked), 'resend', 3, 900)
      }
      assert.equal((await mailsTo(service, email)).length, 1 + 3)
      await service.advanceTime({ minutes: 15 })
      assertSucceeded(await ask(email))
    })

    it('admit a hundred calls a minute of a session, from any address', async () => {
      const person = await someone(service)
      const read = () => get(service, '/api/user-details', { as: person, ...from(newAddress()) })
      const responses = await times(100, read)
      for (const [number, response] of responses.entries()) {
        assertSucceeded(response)
        assert.equal(response.headers.get('ratelimit-policy'), '"api";q=100;w=60')
        assert.match(response.headers.get('ratelimit') ?? '', new RegExp(`^"api";r=${99 - number};t=\\d+$`))
      }
      assertLimited(await read(), 'api', 100, 60)
      const change = await post(service, '/api/user-details', { bio: 'too late' }, { as: person })
      assertLimited(change, 'api', 100, 60)
      assert.equal((await service.portico.store.findById(person.userId))?.bio, '')

      const second = await logIn(service, person, from(newAddress()))
      assertSucceeded(await get(service, '/api/user-details', { as: second }))
    })

    it('count a call of a revoked session for its address, even when the session has no calls left', async () => {
      const person = await someone(service)
      const read = (options: object) => get(service, '/api/user-details', { as: person, ...options })
      await times(100, () => read(from(newAddress())))
      assertLimited(await read(from(newAddress())), 'api', 100, 60)
      const second = await logIn(service, person, from(newAddress()))
      assertSucceeded(await del(service, '/api/sessions/others', undefined, { as: second }))

      const here = from(newAddress())
      for (const [number, response] of (await times(100, () => read(here))).entries()) {
        assertRefused(response, 401)
        assert.match(response.headers.get('ratelimit') ?? '', new RegExp(`^"api";r=${99 - number};t=\\d+$`))
      }
      assertLimited(await read(here), 'api', 100, 60)
    })

    it('admit a hundred calls a minute of an address without a session, to any path', async () => {
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

    it('count several limits in one call, in any order, each with its own cost', async () => {
      const { limits } = service.portico
      const [one, other] = [counter('password', newAddress()), { ...counter('megapixels', newAddress()), cost: 5 }]
      const takes = Array.from({ length: 50 }, (_, at) =>
        limits.take(uncounted(), ...(at % 2 ? [one, other] : [other, one])),
      )
      await Promise.all(takes)
      const request = uncounted()
      await limits.take(request, one, other)
      assert.equal(request.rateLimitPolicies, '"password";q=60;w=60, "megapixels";q=500;w=3600')
      assert.match(request.rateLimitStates, /^"password";r=9;t=\d+, "megapixels";r=245;t=\d+$/)
    })

    it('state each limit once in the headers: the newest state, and of several counters the one with the least left', async () => {
      const { limits } = service.portico
      const [one, other] = [counter('code', newAddress()), counter('code', newAddress())]
      await times(2, async () => limits.take(uncounted(), other))
      const request = uncounted()
      await limits.take(request, counter('reset', newAddress()))
      await limits.take(request, one, other)
      assert.equal(request.rateLimitPolicies, '"reset";q=3;w=900, "code";q=5;w=900')
      assert.match(request.rateLimitStates, /^"reset";r=2;t=\d+, "code";r=2;t=\d+$/)
      await limits.take(request, other)
      assert.match(request.rateLimitStates, /^"reset";r=2;t=\d+, "code";r=1;t=\d+$/)
      assert.equal(request.rateLimitPolicies, '"reset";q=3;w=900, "code";q=5;w=900')
    })

    it('report the limit that ends last when several are exceeded', async () => {
      const { limits } = service.portico
      const [one, other] = [counter('login', newAddress()), counter('reset', newAddress())]
      await times(5, async () => limits.take(uncounted(), one))
      await times(3, async () => limits.take(uncounted(), other))
      const request = uncounted()
      await assert.rejects(
        async () => limits.take(request, one, other),
        ({ headers }) =>
          headers['Retry-After'] > 60 && request.rateLimitStates.endsWith(`;t=${headers['Retry-After']}`),
      )
      assert.equal(request.rateLimitPolicies, '"login";q=5;w=60, "reset";q=3;w=900')
    })

    it('store neither e-mail address nor IP address nor session in clear', async () => {
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
