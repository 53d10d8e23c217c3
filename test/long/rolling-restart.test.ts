import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { report } from '../support/progress.ts'
import { underLoad } from '../support/rolling-restart.ts'
import { ENGINES } from '../support/service.ts'

const RESTARTS = 20
const MIN_REQUESTS = 50_000

describe(`${RESTARTS} restarts of two instances behind nginx and HAProxy`, () => {
  for (const engine of ENGINES) {
    it(`fail none of ${MIN_REQUESTS} requests through each, on ${engine}`, async (t) => {
      const { nginx, haproxy } = await underLoad(t, engine, MIN_REQUESTS, async ({ restart, replaceWorker }) => {
        for (let done = 0; done < RESTARTS; done++) {
          await restart(done % 2 === 0 ? 0 : 1)
          if (done % 4 === 3) await replaceWorker()
          report(`${done + 1} restarts`)
        }
      })
      assert.deepEqual(nginx.failures, {})
      assert.deepEqual(haproxy.failures, {})
    })
  }
})
