import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ProxyName } from '../support/proxies.ts'
import { underLoad } from '../support/rolling-restart.ts'

const PROXIES: ProxyName[] = ['nginx', 'caddy', 'haproxy']
// With pauses, the load leaves most of the processor to other tests. test/long/rolling-restart.test.ts makes none.
const PAUSE_MS = 50

describe('two instances behind nginx, Caddy and HAProxy, under load', () => {
  it('fail no request while each is restarted in turn, and one of their workers is replaced', async (t) => {
    const load = { proxies: PROXIES, leastRequests: 500, pauseMs: PAUSE_MS }
    const results = await underLoad(t, 'postgres', load, async ({ restart, replaceWorker }) => {
      for (const number of [0, 1, 0] as const) await restart(number)
      await replaceWorker()
    })
    for (const { proxy, failures, writes } of results) {
      assert.deepEqual(failures, {}, proxy)
      assert.ok(writes > 0)
    }
  })
})
