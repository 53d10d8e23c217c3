import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tryLogIn } from '../support/accounts.ts'
import { post } from '../support/api.ts'
import { addressesOfEachKind, type Kind, WRONG_PASSWORD } from '../support/rate-limits.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const ROUNDS = 200
const MAX_SPREAD_MS = 5

const OPERATIONS: [what: string, ask: (service: Service, email: string) => Promise<unknown>][] = [
  ['log-in', (service, email) => tryLogIn(service, email, WRONG_PASSWORD)],
  ['forgot-password', (service, email) => post(service, '/api/forgot-password', { email })],
  ['log-in/code', (service, email) => post(service, '/api/log-in/code', { email })],
  ['resend', (service, email) => post(service, '/api/email-verification/resend', { email })],
]

describe('the existence of an account is not disclosed by time', () => {
  onBothEngines((service) => {
    for (const [what, ask] of OPERATIONS) {
      it(`of ${what}: the medians of ${ROUNDS} tries of each kind lie within ${MAX_SPREAD_MS} ms`, async (t) => {
        const medians = await responseTimes(service, ROUNDS, (email) => ask(service, email))
        t.diagnostic(inWords(what, medians))
        assert.ok(spread(medians) < MAX_SPREAD_MS, JSON.stringify(medians))
      })
    }
  })
})

/** The median response time in milliseconds for each kind of address, in as many rounds, each in another order. */
async function responseTimes(
  service: Service,
  rounds: number,
  ask: (email: string) => Promise<unknown>,
): Promise<Record<Kind, number>> {
  const kinds = Object.entries(await addressesOfEachKind(service)) as [Kind, string][]
  const times: Record<Kind, number[]> = { unknown: [], unverified: [], verified: [], 'password-less': [] }
  // The first few requests compile code and fill caches, so they are not counted.
  for (const [, email] of kinds) for (let warm = 0; warm < 3; warm++) await ask(email)
  for (let round = 0; round < rounds; round++) {
    for (const [kind, email] of shuffled(kinds)) {
      // The mail of the previous request must not slow down this one.
      await service.portico.deliveryWorker.idle()
      const began = performance.now()
      await ask(email)
      times[kind].push(performance.now() - began)
    }
  }
  return Object.fromEntries(kinds.map(([kind]) => [kind, median(times[kind])])) as Record<Kind, number>
}

function spread(values: Record<Kind, number>): number {
  return Math.max(...Object.values(values)) - Math.min(...Object.values(values))
}

function inWords(what: string, values: Record<Kind, number>): string {
  return `${what}: ${Object.entries(values)
    .map(([kind, value]) => `${kind} ${value.toFixed(2)} ms`)
    .join(', ')}`
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
