import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { underLoad } from '../support/rolling-restart.ts'

describe('two instances behind nginx and HAProxy, under load', () => {
  it('fail no request while each is restarted in turn, and one of their workers is replaced', async (t) => {
    const results = await underLoad(t, 'postgres', ['nginx', 'haproxy'], 1000, async ({ restart, replaceWorker }) => {
      for (const number of [0, 1, 0, 1] as const) await restart(number)
      await replaceWorker()
    })
    for (const { failures, writes } of results) {
      assert.deepEqual(failures, {})
      assert.ok(writes > 0)
    }
  })
})
