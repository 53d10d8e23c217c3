import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { crowd, tryLogIn } from '../support/accounts.ts'
import { newEmail, PASSWORD } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startQuiet } from '../support/process.ts'
import { failLogIn, from, LIMITED, newAddress } from '../support/rate-limits.ts'
import { ENGINES, freshDatabase, startOn } from '../support/service.ts'

const STORM_MS = 10_000
const BETWEEN_REQUESTS_MS = 1000 / 40
const LONGEST_WAIT_MS = 1000

const STORMS: Record<string, (number: number) => string> = {
  '24 addresses': (number) => `10.2.${number % 24}.1`,
  'the /64s of an IPv6 /56': (number) => `2001:db8:56:ab${(number % 256).toString(16).padStart(2, '0')}::1`,
}

describe("during a flood of 40 log-ins a second, every owner's log-in from another network takes less than a second", () => {
  for (const engine of ENGINES) {
    for (const [where, addressOf] of Object.entries(STORMS)) {
      it(`when the flood comes from ${where}, on ${engine}`, async (t) => {
        const database = await freshDatabase(engine)
        cleanUp(t, database.drop)
        const env = { ...database.env, ...LIMITED, BASE_URL: 'http://localhost:3000' }
        const seeding = await startOn(env)
        const owners = await crowd(seeding, 20).finally(() => seeding.close())
        const service = await startQuiet(t, env)
        cleanUp(t, () => service.stop())

        const storm = Promise.all(
          Array.from({ length: STORM_MS / BETWEEN_REQUESTS_MS }, async (_, number) => {
            await setTimeout(number * BETWEEN_REQUESTS_MS)
            return failLogIn(service, newEmail(), from(addressOf(number)))
          }),
        )
        const waits: number[] = []
        for (const { email } of owners) {
          await setTimeout(STORM_MS / owners.length / 2)
          const begun = performance.now()
          const { status } = await tryLogIn(service, email, PASSWORD, from(newAddress()))
          assert.equal(status, 200)
          waits.push(performance.now() - begun)
        }
        await storm
        t.diagnostic(`owners waited ${waits.map(Math.round).join(', ')} ms`)
        assert.ok(Math.max(...waits) < LONGEST_WAIT_MS, `${waits.map(Math.round)}`)
      })
    }
  }
})
