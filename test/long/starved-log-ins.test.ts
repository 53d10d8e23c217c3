import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { crowd, tryLogIn } from '../support/accounts.ts'
import { newEmail, PASSWORD } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startQuiet } from '../support/process.ts'
import { failLogIn, from, LIMITED, newAddress } from '../support/rate-limits.ts'
import { ENGINES, freshDatabase, startOn } from '../support/service.ts'

const FLOOD_MS = 10_000
const REQUEST_INTERVAL_MS = 1000 / 40
const MAX_WAIT_MS = 1000

const FLOODS: Record<string, (number: number) => string> = {
  '24 addresses': (number) => `10.2.${number % 24}.1`,
  'the /64s of an IPv6 /56': (number) => `2001:db8:56:ab${(number % 256).toString(16).padStart(2, '0')}::1`,
}

describe("during a flood of 40 log-ins a second, an owner's log-in from another network takes under a second", () => {
  for (const engine of ENGINES) {
    for (const [where, addressOf] of Object.entries(FLOODS)) {
      it(`when the flood comes from ${where}, on ${engine}`, async (t) => {
        const database = await freshDatabase(engine)
        cleanUp(t, database.drop)
        const env = { ...database.env, ...LIMITED, BASE_URL: 'http://localhost:3000' }
        const seeding = await startOn(env)
        const owners = await crowd(seeding, 20).finally(() => seeding.close())
        const service = await startQuiet(t, env)
        cleanUp(t, () => service.stop())

        const flood = Promise.all(
          Array.from({ length: FLOOD_MS / REQUEST_INTERVAL_MS }, async (_, number) => {
            await setTimeout(number * REQUEST_INTERVAL_MS)
            return failLogIn(service, newEmail(), from(addressOf(number)))
          }),
        )
        const waits: number[] = []
        for (const { email } of owners) {
          await setTimeout(FLOOD_MS / owners.length / 2)
          const begun = performance.now()
          const { status } = await tryLogIn(service, email, PASSWORD, from(newAddress()))
          assert.equal(status, 200)
          waits.push(performance.now() - begun)
        }
        await flood
        t.diagnostic(`owners waited ${waits.map(Math.round).join(', ')} ms`)
        assert.ok(Math.max(...waits) < MAX_WAIT_MS, `${waits.map(Math.round)}`)
      })
    }
  }
})
