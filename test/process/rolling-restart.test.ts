import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { underLoad } from '../support/rolling-restart.ts'

describe('two instances behind nginx and HAProxy, under load', () => {
  it('fail no request while each is restarted in turn, and one of their workers is replaced', async (t) => {
    const { nginx, haproxy } = await underLoad(t, 'postgres', 1000, async ({ restart, replaceWorker }) => {
      for (const number of [0, 1, 0, 1] as const) await restart(number)
      await replaceWorker()
    })
    assert.deepEqual(nginx.failures, {})
    assert.deepEqual(haproxy.failures, {})
    assert.ok(nginx.writes > 0 && haproxy.writes > 0)
  })
})
