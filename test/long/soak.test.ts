import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openKeyRing } from '../../src/sessions/key-ring.ts'
import { createTokens, type Tokens } from '../../src/sessions/tokens.ts'
import { assertRefused, assertSucceeded, get, newEmail, type Person, post } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type SmtpSink, startSmtpSink } from '../support/mail.ts'
import { inMegabytes, type Memory, memoryOf, report, WITH_MEMORY_PROBE } from '../support/measuring.ts'
import { type PorticoProcess, readDatabase, startQuiet } from '../support/process.ts'
import { ENGINES, temporaryDatabase } from '../support/service.ts'
import { createKeptAccount, newAccountRun, runSteps } from './account-runs.ts'

const MINUTES = Number(process.env.SOAK_MINUTES || 30)
const MIN_ROUNDS = 6
// One-time allocations happen in these.
const WARM_UP_ROUNDS = 2
// More than the cache of verified tokens can store. The cache is full whenever the memory is measured.
const TOKENS = 22_000
const LANES = 8
// A leak of 100 bytes a request is four times as much.
const MAX_BYTES_A_REQUEST = 25
const MAX_RSS_GROWTH_BYTES = 64 * 2 ** 20
const BASE_URL = 'http://localhost:3000'

interface Sample extends Memory {
  /** Requests served so far. */
  requests: number
}

/** Clients that create, use and delete accounts, clients that read, and requests that are refused. */
async function sendTraffic(portico: PorticoProcess, sink: SmtpSink, isOver: () => boolean): Promise<number> {
  let runs = 0
  let refused = 0
  while (!isOver()) {
    runs += 1
    await runSteps(portico, sink, newAccountRun()).catch((error) => {
      // On a busy machine the database may not respond before its timeout.
      if (!/Service temporarily unavailable/.test(String(error))) throw error
      refused += 1
    })
    for (let number = 0; number < 10; number++) {
      assertRefused(await get(portico, '/api/user-details', { as: { accessToken: `x${number}`, sessionId: 'x' } }), 401)
      assertSucceeded(await post(portico, '/api/forgot-password', { email: newEmail() }))
      assert.equal((await get(portico, `/nowhere/${Math.random()}`)).status, 404)
      assert.equal((await get(portico, '/')).status, 200)
    }
    await setTimeout(50)
  }
  assert.ok(refused <= runs / 20, `${refused} of ${runs} were refused`)
  return runs
}

const REQUESTS_A_RUN = 7 + 40

/** Distinct access tokens and user agents, until every cache for them is full. Returns the number of requests. */
async function fillCaches(portico: PorticoProcess, tokens: Tokens, person: Person): Promise<number> {
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let number = 0; number < TOKENS / LANES; number++) {
        const as = {
          ...person,
          accessToken: tokens.issueAccess({ ...person, authenticatedAt: Date.now(), methods: ['pwd'], role: 'member' }),
        }
        const headers = { 'user-agent': `Soak/${Math.random()}` }
        assertSucceeded(await get(portico, '/api/user-details', { as, headers }))
      }
    }),
  )
  return TOKENS
}

describe(`${MINUTES} minutes of traffic`, () => {
  for (const engine of ENGINES) {
    it(`leave the memory of the service as it was, on ${engine}`, async (t) => {
      const sink = await startSmtpSink()
      cleanUp(t, () => sink.down())
      const env = { ...(await temporaryDatabase(t, engine)), BASE_URL, SMTP_URL: sink.url }
      const portico = await startQuiet(t, { ...env, ...WITH_MEMORY_PROBE })
      const person = await createKeptAccount(portico, sink)
      await readDatabase(env, async (opened) => {
        const tokens = createTokens(await openKeyRing(opened), BASE_URL, Date)
        const roundMs = (MINUTES * 60_000) / ENGINES.length / MIN_ROUNDS
        const samples: Sample[] = []
        let requests = 0
        while (samples.length < MIN_ROUNDS) {
          const endsAt = performance.now() + roundMs
          const counts = await Promise.all(
            [1, 2].map(() => sendTraffic(portico, sink, () => performance.now() > endsAt)),
          )
          requests += (await fillCaches(portico, tokens, person)) + REQUESTS_A_RUN * counts.reduce((a, b) => a + b)
          samples.push({ requests, ...(await memoryOf(portico)) })
          const { liveBytes, rss } = samples.at(-1) as Sample
          report(
            `${engine}: ${requests} requests, holds ${(liveBytes / 2 ** 20).toFixed(2)} MB of ${inMegabytes(rss)} MB`,
          )
        }
        const warm = samples.slice(WARM_UP_ROUNDS)
        const growth = slope(warm)
        const rss = (warm.at(-1)?.rss ?? 0) - (warm[0]?.rss ?? 0)
        report(`${engine}: ${growth.toFixed(1)} bytes held more a request, ${rss} bytes occupied more`)
        assert.ok(growth < MAX_BYTES_A_REQUEST, `it holds ${growth} bytes more a request`)
        assert.ok(rss < MAX_RSS_GROWTH_BYTES, `it occupies ${rss} bytes more`)
      })
      assert.equal(await portico.stop(), 0)
    })
  }
})

/** The growth of the live memory in bytes a request: the least-squares line through the samples. */
function slope(samples: Sample[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const x = mean(samples.map(({ requests }) => requests))
  const y = mean(samples.map(({ liveBytes }) => liveBytes))
  const products = samples.map(({ requests, liveBytes }) => (requests - x) * (liveBytes - y))
  return mean(products) / mean(samples.map(({ requests }) => (requests - x) ** 2))
}
