import { describe, it } from 'node:test'
import { assertRefused, type CallOptions, newEmail, post } from '../support/api.ts'
import { assertLimited, failLogIn, from, LIMITED, newAddress, times, WRONG_PASSWORD } from '../support/rate-limits.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { onBothEngines } from '../support/service.ts'

const FIVE = [1, 2, 3, 4, 5]

/** Five tries are admitted, each with the next of these options. A sixth is refused with any of them. */
async function assertOneLimit(service: { url: string }, variants: CallOptions[]): Promise<void> {
  const email = newEmail()
  await times(5, async (n) => assertRefused(await failLogIn(service, email, variants[n % variants.length]), 401))
  for (const variant of variants) assertLimited(await failLogIn(service, email, variant), 'login', 5, 60)
}

describe('a rate limit behind a trusted proxy is not evaded', () => {
  onBothEngines((service) => {
    it('by forged addresses before the one that the proxy added', async () => {
      const address = newAddress()
      await assertOneLimit(
        service,
        FIVE.map((n) => from(`203.0.113.${n}, ${address}`)),
      )
    })

    it('by naming the proxy as the last hop', async () => {
      const address = newAddress()
      await assertOneLimit(service, [address, `${address}, 127.0.0.1`, `${address}, 127.0.0.1, 127.0.0.1`].map(from))
    })

    it('by the other addresses of an IPv6 network', async () => {
      await assertOneLimit(
        service,
        FIVE.map((n) => from(`2001:db8:1:1:${n}::${n}`)),
      )
    })

    it('by other spellings of an IPv6 address', async () => {
      const spellings = ['2001:db8:2::1', '2001:DB8:2::1', '2001:0db8:0002:0:0:0:0:1', '2001:db8:2:0::0.0.0.1']
      await assertOneLimit(service, spellings.map(from))
    })

    it('by an IPv4 address written as IPv6', async () => {
      await assertOneLimit(service, ['192.0.2.200', '::ffff:192.0.2.200', '::FFFF:c000:2c8'].map(from))
    })

    it('by other forwarding headers', async () => {
      const { headers: own } = from(newAddress())
      const others = ['x-real-ip', 'forwarded', 'x-client-ip', 'cf-connecting-ip', 'x-forwarded-host', 'user-agent']
      await assertOneLimit(
        service,
        others.map((name, n) => ({ headers: { ...own, [name]: `203.0.113.${n}` } })),
      )
    })

    it('by other spellings of the path', async () => {
      const body = { email: newEmail(), password: WRONG_PASSWORD }
      const here = from(newAddress())
      const paths = ['/api/log-in', '/api/log%2Din', '/api/%6cog-in', '/%61pi/log-in', '/api/log-in?try=5']
      for (const path of paths) assertRefused(await post(service, path, body, here), 401)
      for (const path of paths) assertLimited(await post(service, path, body, here), 'login', 5, 60)
    })

    it('by sending the header twice', async () => {
      const email = newEmail()
      const address = newAddress()
      const body = JSON.stringify({ email, password: WRONG_PASSWORD })
      const lines = ['Host: x', 'Connection: close', 'Content-Type: application/json', `Content-Length: ${body.length}`]
      const attempt = (n: number) => {
        const hops = [`X-Forwarded-For: 203.0.113.${n}`, `X-Forwarded-For: ${address}`]
        return sendRaw(service, head('POST /api/log-in HTTP/1.1', ...lines, ...hops), body)
      }
      await times(5, async (n) => assertRefused(await attempt(n), 401))
      assertLimited(await attempt(6), 'login', 5, 60)
    })
  }, LIMITED)
})

describe('a rate limit without a trusted proxy', () => {
  onBothEngines(
    (service) => {
      it('ignores every header about the address', async () => {
        const names = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-client-ip', 'true-client-ip']
        await assertOneLimit(
          service,
          names.map((name, n) => ({ headers: { [name]: `203.0.113.${n}` } })),
        )
      })
    },
    { RATE_LIMITS: 'on' },
  )
})

describe('a rate limit with other trusted proxies', () => {
  onBothEngines(
    (service) => {
      it('ignores the headers of a client that is none of them', async () => {
        await assertOneLimit(
          service,
          FIVE.map((n) => from(`203.0.113.${n}, 10.0.0.1`)),
        )
      })
    },
    { RATE_LIMITS: 'on', TRUSTED_PROXIES: '10.0.0.0/8, ::1' },
  )
})
