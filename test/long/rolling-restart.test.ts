import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { report } from '../support/measuring.ts'
import type { ProxyName } from '../support/proxies.ts'
import { underLoad } from '../support/rolling-restart.ts'
import { ENGINES } from '../support/service.ts'

const PROXIES: ProxyName[] = ['nginx', 'caddy', 'haproxy']
const RESTARTS = 20
const MIN_REQUESTS = 50_000

describe(`${RESTARTS} restarts of two instances behind nginx, Caddy and HAProxy`, () => {
  for (const engine of ENGINES) {
    it(`fail none of ${MIN_REQUESTS} requests through each, on ${engine}`, async (t) => {
      const load = { proxies: PROXIES, leastRequests: MIN_REQUESTS }
      const results = await underLoad(t, engine, load, async ({ restart, replaceWorker }) => {
        for (let done = 0; done < RESTARTS; done++) {
          await restart(done % 2 === 0 ? 0 : 1)
          if (done % 4 === 3) await replaceWorker()
          report(`${done + 1} restarts`)
        }
      })
      for (const { proxy, failures } of results) assert.deepEqual(failures, {}, proxy)
    })
  }
})
