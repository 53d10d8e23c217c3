import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { LIMIT_NAMES, mayPassUncounted } from '../../src/config/limit-kinds.ts'
import { type CountedRequest, counter } from '../../src/http/rate-limit.ts'
import { Refusal } from '../../src/http/refusal.ts'
import { createReservations } from '../../src/limits/limit-reservations.ts'
import { cleanUp } from '../support/clean-up.ts'
import {
  countingDatabase,
  hashKey,
  isAdmitted,
  LIMITED,
  type LimitedInstance,
  limitedInstances,
  uncounted,
} from '../support/rate-limits.ts'
import { onBothEngines, type Service } from '../support/service.ts'

// A timeout that a test waits for. On a starved machine, a statement that waits for no lock takes less.
const SHORT_TIMEOUT_MS = 4000

const newCall = () => counter('api', 'session', randomUUID())

/** The number of admitted requests. `workers` of them are in flight at each instance at any time. */
async function admittedOf(
  requests: number,
  { at, workers, call }: { at: LimitedInstance[]; workers: number; call: ReturnType<typeof newCall> },
): Promise<number> {
  const each = requests / at.length / workers
  const counts = at.flatMap(({ limits }) =>
    Array.from({ length: workers }, async () => {
      let admitted = 0
      for (let sent = 0; sent < each; sent++) if (await isAdmitted(() => limits.take(uncounted(), call))) admitted += 1
      return admitted
    }),
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

function assertWithin(value: number, least: number, most: number): void {
  assert.ok(value >= least && value <= most, `${value} is not between ${least} and ${most}`)
}

/** Blocks all writes of counters until it is released. */
async function lockCounters(t: TestContext, { portico }: Service): Promise<() => Promise<unknown>> {
  const { database } = portico.config
  if (database.engine === 'sqlite') {
    const holder = new DatabaseSync(database.file)
    cleanUp(t, () => holder.close())
    holder.exec('begin immediate')
    return async () => holder.exec('rollback')
  }
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  cleanUp(t, () => holder.end())
  await holder.query('begin; lock table rate_limits')
  return () => holder.query('rollback')
}

describe('the general rate limit of several instances', () => {
  onBothEngines((service, engine) => {
    for (const workers of [1, 10, 1000]) {
      it(`admits 990 to 1000 of 3000 requests at three instances, ${workers} at once at each`, async (t) => {
        const at = await limitedInstances(t, service, 3, { count: 1000, seconds: 3600 })
        assertWithin(await admittedOf(3000, { at, workers, call: newCall() }), 990, 1000)
      })

      it(`admits exactly 100 of 3000 requests when that is the limit, ${workers} at once at each`, async (t) => {
        const at = await limitedInstances(t, service, 3, { count: 100, seconds: 3600 })
        assert.equal(await admittedOf(3000, { at, workers, call: newCall() }), 100)
      })
    }

    it('admits 99 % when four instances have reserved hits that only a fifth one requests', async (t) => {
      const [first, ...others] = await limitedInstances(t, service, 5, { count: 8000, seconds: 3600 })
      const call = newCall()
      const before = await admittedOf(600, { at: others, workers: 1, call })
      const after = await admittedOf(9000, { at: [first as LimitedInstance], workers: 10, call })
      assert.equal(before, 600)
      assertWithin(before + after, 7920, 8000)
    })

    it('reserves less ahead near the limit, so that an instance that stops there leaves few hits unused', async (t) => {
      const [first, second] = (await limitedInstances(t, service, 2, { count: 8000, seconds: 3600 })) as [
        LimitedInstance,
        LimitedInstance,
      ]
      const call = newCall()
      const before = await admittedOf(7950, { at: [first], workers: 1, call })
      const between = await admittedOf(12, { at: [second], workers: 1, call })
      const after = await admittedOf(100, { at: [first], workers: 1, call })
      assertWithin(before + between + after, 7996, 8000)
    })

    it('sends far fewer statements than requests when the limit is high', async (t) => {
      const at = await limitedInstances(t, service, 1, { count: 1_000_000, seconds: 3600 })
      assert.equal(await admittedOf(2000, { at, workers: 1, call: newCall() }), 2000)
      assert.ok((at[0]?.statements ?? 0) < 100, `${at[0]?.statements} statements`)
    })

    it('counts requests of many sessions that arrive together with one statement', async (t) => {
      const [instance] = (await limitedInstances(t, service, 1, { count: 100, seconds: 60 })) as [LimitedInstance]
      const requests = Array.from({ length: 150 }, uncounted)
      await Promise.all(requests.map((request) => instance.limits.take(request, newCall())))
      for (const { rateLimitStates } of requests) assert.match(rateLimitStates, /^"api";r=99;t=\d+$/)
      assert.equal(instance.statements, 1)
    })

    it('refuses without a statement once a counter is exhausted', async (t) => {
      const at = await limitedInstances(t, service, 2, { count: 50, seconds: 3600 })
      const call = newCall()
      assert.equal(await admittedOf(200, { at, workers: 1, call }), 50)
      const before = at.map(({ statements }) => statements)
      assert.equal(await admittedOf(1000, { at, workers: 10, call }), 0)
      assert.deepEqual(
        at.map(({ statements }) => statements),
        before,
      )
    })

    it('admits the whole limit again after the time in Retry-After', async (t) => {
      // Requests that take longer than the window are counted in two. A starved machine needs a longer window.
      let isProven = false
      for (const seconds of [3, 12, 40]) {
        const at = await limitedInstances(t, service, 2, { count: 20, seconds })
        const [{ limits }] = at as [LimitedInstance]
        const call = newCall()
        const startedAtMs = performance.now()
        const before = await admittedOf(60, { at, workers: 10, call })
        const refusal = await Promise.resolve()
          .then(() => limits.take(uncounted(), call))
          .catch((error: unknown) => error)
        if (performance.now() - startedAtMs >= seconds * 1000) continue
        assert.equal(before, 20)
        assert.ok(refusal instanceof Refusal)
        const retryAfter = Number(refusal.headers['Retry-After'])
        assertWithin(retryAfter, 1, seconds)
        await setTimeout(retryAfter * 1000)
        const restartedAtMs = performance.now()
        const after = await admittedOf(60, { at, workers: 10, call })
        if (performance.now() - restartedAtMs >= seconds * 1000) continue
        assert.equal(after, 20)
        isProven = true
        break
      }
      assert.ok(isProven, 'the machine is too slow')
    })

    it('reports one remaining hit less with each request, and never less than none', async (t) => {
      const [{ limits }] = (await limitedInstances(t, service, 1, { count: 2000, seconds: 3600 })) as [LimitedInstance]
      const call = newCall()
      for (let remaining = 1999; remaining >= 0; remaining--) {
        const request = uncounted()
        await limits.take(request, call)
        assert.ok(request.rateLimitStates.startsWith(`"api";r=${remaining};t=`), request.rateLimitStates)
        assert.equal(request.rateLimitPolicies, '"api";q=2000;w=3600')
      }
      const refused = uncounted()
      await assert.rejects(
        async () => limits.take(refused, call),
        ({ headers }: Refusal) => refused.rateLimitStates === `"api";r=0;t=${headers['Retry-After']}`,
      )
    })

    it('does not apply to limits of passwords or mails: each request is one statement, admitted or not', async (t) => {
      const [instance] = (await limitedInstances(t, service, 1, { count: 4000, seconds: 60 })) as [LimitedInstance]
      const exact = LIMIT_NAMES.filter((name) => !mayPassUncounted(name))
      assert.ok(exact.length > 10)
      for (const kind of exact) {
        const limit = service.portico.config.rateLimits?.[kind].count as number
        const guarded = counter(kind, randomUUID())
        const before = instance.statements
        const takes = Array.from({ length: limit + 10 }, () =>
          isAdmitted(() => instance.limits.take(uncounted(), guarded)),
        )
        const admitted = (await Promise.all(takes)).filter(Boolean).length
        assert.deepEqual([admitted, instance.statements - before], [limit, limit + 10], kind)
      }
    })

    it('admits requests after one timeout while counters cannot be written, except those of passwords', async (t) => {
      const rate = { count: 100, seconds: 60 }
      const [instance] = (await limitedInstances(t, service, 1, rate, SHORT_TIMEOUT_MS)) as [LimitedInstance]
      const { limits } = instance
      const call = newCall()
      const release = await lockCounters(t, service)
      const requests = Array.from({ length: 3 }, uncounted) as [CountedRequest, CountedRequest, CountedRequest]
      const first = limits.take(requests[0], call)
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      await Promise.all([first, limits.take(requests[1], call), limits.take(requests[2], newCall())])
      assert.deepEqual(requests, Array.from({ length: 3 }, uncounted))
      assert.equal(instance.statements, 1)
      await assert.rejects(
        async () => limits.take(uncounted(), counter('login', randomUUID())),
        (error) => service.portico.database.isUnavailable(error),
      )
      await release()
      const [request] = requests
      await limits.take(request, call)
      assert.match(request.rateLimitStates, /^"api";r=99;/)
    })

    it('counts correctly with memory for few counters, and removes windows that have ended', async () => {
      const database = countingDatabase(service.portico.database)
      const cacheBytes = 10_000
      let nowMs = 0
      const rate = { count: 3, seconds: 3600 }
      const reservations = createReservations(rate, database, hashKey, { now: () => nowMs, cacheBytes })
      const names = Array.from({ length: 100 }, () => randomUUID())
      const admitted = new Map<string, number>()
      for (let round = 0; round < 5; round++) {
        for (const name of names) {
          const known = await reservations.take(name)
          if (known.isAdmitted) admitted.set(name, (admitted.get(name) ?? 0) + 1)
          assertWithin(reservations.bytes, 1, cacheBytes)
        }
      }
      for (const name of names) assert.equal(admitted.get(name), 3)
      assert.equal(database.statements, 500)

      const full = reservations.bytes
      nowMs += rate.seconds * 1000
      await reservations.take(randomUUID())
      assert.ok(reservations.bytes < full / 5, `${reservations.bytes} of ${full} bytes in use`)
    })

    if (engine === 'postgres') {
      it('does not wait for the WAL flush, and changes no other transaction', async (t) => {
        const { database } = service.portico
        // The test server commits asynchronously. Connections that are opened from now on commit synchronously.
        const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database.query)
        await sql`alter database ${sql.ref(rows[0]?.name ?? '')} set synchronous_commit = on`.execute(database.query)
        const [{ limits }] = (await limitedInstances(t, service, 1, { count: 100, seconds: 60 })) as [LimitedInstance]
        await sql`create table commits (key text, setting text)`.execute(database.query)
        await sql`create function note_commit() returns trigger language plpgsql as $$
          begin insert into commits values (new.key, current_setting('synchronous_commit')); return null; end $$`.execute(
          database.query,
        )
        // A deferred trigger runs when the transaction commits.
        await sql`create constraint trigger note_commit after insert or update on rate_limits
          deferrable initially deferred for each row execute function note_commit()`.execute(database.query)
        cleanUp(t, async () => {
          await sql`drop trigger note_commit on rate_limits`.execute(database.query)
        })
        const settings = async () =>
          (await sql<{ setting: string }>`delete from commits returning setting`.execute(database.query)).rows
        await limits.take(uncounted(), newCall())
        assert.deepEqual(await settings(), [{ setting: 'off' }])
        await limits.take(uncounted(), counter('login', randomUUID()))
        assert.deepEqual(await settings(), [{ setting: 'on' }])
      })
    }
  }, LIMITED)
})
