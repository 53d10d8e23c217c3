import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type ApiResponse, assertRefused, assertSucceeded, get, type Person, post } from '../support/api.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { startOwnPostgres } from '../support/databases.ts'
import { startTcpProxy } from '../support/local-servers.ts'
import { startSmtpSink } from '../support/mail.ts'
import { report } from '../support/measuring.ts'
import { type PorticoProcess, startQuiet } from '../support/process.ts'
import { createKeptAccount } from './account-runs.ts'

const ROUNDS = 5
const RESPONSE_LIMIT_MS = 2000
const RECOVERY_LIMIT_MS = 5000
// The lateness of a timer. The delays of a busy machine, before and during the outage, are measured.
const TIMER_TOLERANCE_MS = 300

/** A service on a PostgreSQL server of its own, at an address that can lead to another port. */
async function startOnOwnServer(t: TestContext) {
  const sink = await startSmtpSink()
  cleanUp(t, () => sink.down())
  const folder = await temporaryFolder(t)
  const server = await startOwnPostgres(t)
  const proxy = await startTcpProxy(server.port)
  cleanUp(t, () => proxy.close())
  const DATABASE_URL = `postgres://portico:portico@127.0.0.1:${proxy.port}/postgres`
  // Every error of the database would be logged.
  const env = { DATA_DIR: folder, DATABASE_URL, SMTP_URL: sink.url, LOG_LEVEL: 'silent' }
  const portico = await startQuiet(t, env)
  const people = []
  for (let number = 0; number < 6; number++) people.push(await createKeptAccount(portico, sink))
  return { server, proxy, portico, traffic: startTraffic(portico, people) }
}

/** Clients that read and write without a pause. Each of them records what was acknowledged. */
function startTraffic(portico: PorticoProcess, people: Person[]) {
  let isOver = false
  let slowest = 0
  let refused = 0
  let lag = 0
  const recoveries: (() => void)[] = []
  const lanes = people.map(async (person) => {
    // The last acknowledged value, and the values sent since: a write without a response may or may not have been
    // committed.
    let possible = [`bio of ${person.email}`]
    for (let number = 0; !isOver; number++) {
      const bio = `bio ${number}`
      const written = await timed(post(portico, '/api/user-details', { bio }, { as: person }))
      possible = written.status === 200 ? [bio] : [...possible, bio]
      const read = await timed(get(portico, '/api/user-details', { as: person }))
      if (read.status === 200) {
        const { bio: found } = read.body.data.user
        assert.ok(possible.includes(found), `${found} instead of ${possible}`)
      }
      if (written.status === 200 && read.status === 200) for (const resolve of recoveries.splice(0)) resolve()
    }
  })
  lanes.push(measureMachine())
  const failed = Promise.all(lanes).then(() => {})
  failed.catch(() => {})

  /** A response that needs no database takes as long as the machine delays it. */
  async function measureMachine(): Promise<void> {
    while (!isOver) {
      const began = performance.now()
      assert.equal((await get(portico, '/healthz')).status, 200)
      lag = Math.max(lag, performance.now() - began)
      await setTimeout(20)
    }
  }

  async function timed(request: Promise<ApiResponse>): Promise<ApiResponse> {
    const began = performance.now()
    const response = await request
    slowest = Math.max(slowest, performance.now() - began)
    if (response.status === 503) {
      refused += 1
      assertRefused(response, 503, 'Service temporarily unavailable')
      assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
      // Clients pause before a retry.
      await setTimeout(20)
    } else assertSucceeded(response)
    return response
  }

  return {
    /** Fails when a response was wrong. */
    failed,
    /** Resolves at the next pair of successful responses. */
    recovered: () => Promise.race([failed, new Promise<void>((resolve) => recoveries.push(resolve))]),
    report() {
      const past = { slowest, refused, lag }
      slowest = refused = lag = 0
      return past
    },
    async stop() {
      isOver = true
      await failed
    },
  }
}

async function assertOutage(
  { traffic }: Awaited<ReturnType<typeof startOnOwnServer>>,
  what: string,
  beginOutage: () => Promise<unknown>,
  endOutage: () => Promise<unknown>,
): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++) {
    await traffic.recovered()
    traffic.report()
    await Promise.race([traffic.failed, setTimeout(1000)])
    const { slowest: usual } = traffic.report()
    await beginOutage()
    await Promise.race([traffic.failed, setTimeout(4000)])
    await endOutage()
    const began = performance.now()
    await traffic.recovered()
    const recovery = performance.now() - began
    const { slowest, refused, lag } = traffic.report()
    report(
      `${what}: ${refused} refused, the slowest response ${Math.round(slowest)} ms, recovered after ${Math.round(recovery)} ms`,
    )
    assert.ok(refused > 0, 'no request failed')
    assert.ok(slowest < RESPONSE_LIMIT_MS + TIMER_TOLERANCE_MS + lag + usual, `a response took ${slowest} ms`)
    assert.ok(recovery < RECOVERY_LIMIT_MS + TIMER_TOLERANCE_MS + lag, `the recovery took ${recovery} ms`)
  }
  await traffic.stop()
}

describe('a PostgreSQL server that fails under load and recovers', () => {
  it('killed: 503 before the deadline, nothing wrong, nothing lost, quick recovery', async (t) => {
    const running = await startOnOwnServer(t)
    const { server } = running
    await assertOutage(running, 'killed', server.kill, server.start)
  })

  it('hung: 503 before the deadline, nothing wrong, nothing lost, quick recovery', async (t) => {
    const running = await startOnOwnServer(t)
    const { server } = running
    await assertOutage(running, 'hung', server.hang, server.resume)
  })

  it('failed over to another port: 503 before the deadline, nothing wrong, nothing lost, quick recovery', async (t) => {
    const running = await startOnOwnServer(t)
    const { server, proxy } = running
    const failOver = async () => proxy.leadTo(await server.startElsewhere())
    await assertOutage(running, 'failed over', server.kill, failOver)
  })
})
