import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../src/database/database.ts'
import { counter } from '../../src/http/rate-limit.ts'
import { createReservations } from '../../src/limits/limit-reservations.ts'
import { countingDatabase, hashKey, LIMITED, uncounted } from '../support/rate-limits.ts'
import { onBothEngines, type Service } from '../support/service.ts'
import { eventually } from '../support/site.ts'

const LIMIT = 100

/** Reservations whose clock a test moves. `pause` lets so much time pass that the next call may be counted later. */
function reservationsOf(
  { portico }: Service,
  wrap: (database: Database) => Database = (database) => database,
  more: Pick<NonNullable<Parameters<typeof createReservations>[3]>, 'cacheBytes' | 'otherProcesses'> = {},
) {
  const database = countingDatabase(wrap(portico.database))
  let nowMs = 0
  const rate = { count: LIMIT, seconds: 3600 }
  const reservations = createReservations(rate, database, hashKey, {
    now: () => nowMs,
    otherProcesses: () => 1,
    ...more,
  })
  const pause = (milliseconds = 100) => {
    nowMs += milliseconds
  }
  return { database, reservations, pause }
}

const hitsOf = async ({ portico: { database } }: Service, name: string) =>
  (
    await database.query
      .selectFrom('rate_limits')
      .select('hits')
      .where('key', '=', hashKey(name))
      .executeTakeFirstOrThrow()
  ).hits

describe('the general rate limit of a client that calls at intervals', () => {
  onBothEngines((service) => {
    it('admits a call without waiting, and counts the calls of many clients with one statement', async () => {
      const { database, reservations, pause } = reservationsOf(service)
      const names = Array.from({ length: 50 }, () => randomUUID())
      await Promise.all(names.map((name) => reservations.take(name)))
      pause()
      const before = database.statements
      for (const name of names) {
        const taken = reservations.take(name)
        assert.ok(!(taken instanceof Promise))
        assert.deepEqual([taken.isAdmitted, taken.remaining], [true, LIMIT - 2])
      }
      assert.equal(database.statements, before)
      await eventually(async () => {
        for (const name of names) assert.equal(await hitsOf(service, name), 2)
      })
      assert.equal(database.statements, before + 1)
    })

    it('admits exactly the limit at one instance', async () => {
      const { reservations, pause } = reservationsOf(service)
      const name = randomUUID()
      let admitted = 0
      for (let call = 0; call < LIMIT + 50; call++) {
        pause()
        if ((await reservations.take(name)).isAdmitted) admitted += 1
      }
      assert.equal(admitted, LIMIT)
    })

    it('reserves eight hits ahead at the only process, which admits exactly the limit too', async () => {
      const { database, reservations, pause } = reservationsOf(service, undefined, { otherProcesses: () => 0 })
      const name = randomUUID()
      let admitted = 0
      for (let call = 0; call < LIMIT + 50; call++) {
        pause()
        const { isAdmitted, remaining } = await reservations.take(name)
        if (isAdmitted) admitted += 1
        assert.equal(remaining, LIMIT - admitted)
      }
      assert.equal(admitted, LIMIT)
      assert.ok(database.statements < 0.35 * LIMIT, `${database.statements} statements`)
    })

    it('returns the hits that the only process has reserved, so that another one admits exactly the rest', async () => {
      const first = reservationsOf(service, undefined, { otherProcesses: () => 0 })
      const names = Array.from({ length: 300 }, () => randomUUID())
      assert.equal(first.reservations.hasReservedAlone(), false)
      for (let call = 0; call < 2; call++) await Promise.all(names.map((name) => first.reservations.take(name)))
      const [name = ''] = names
      assert.equal(await hitsOf(service, name), 2 + 8)
      assert.equal(first.reservations.hasReservedAlone(), true)
      await first.reservations.returnUnused()
      for (const each of names) assert.equal(await hitsOf(service, each), 2)
      assert.equal(first.reservations.hasReservedAlone(), false)

      const second = reservationsOf(service)
      let admitted = 2
      for (let call = 0; call < LIMIT; call++) if ((await second.reservations.take(name)).isAdmitted) admitted += 1
      assert.equal(admitted, LIMIT)
      assert.equal((await first.reservations.take(name)).isAdmitted, false)
    })

    it('returns no hits in the last seconds of a window, of which a slow statement could change the next', async () => {
      const { reservations, pause } = reservationsOf(service, undefined, { otherProcesses: () => 0 })
      const name = randomUUID()
      for (let call = 0; call < 2; call++) await reservations.take(name)
      pause(3600_000 - 2000)
      await reservations.returnUnused()
      assert.equal(await hitsOf(service, name), 2 + 8)
    })

    it('returns hits beside waiting and deferred calls, and counts those', async () => {
      const { reservations, pause } = reservationsOf(service, undefined, { otherProcesses: () => 0 })
      const [name, deferred] = [randomUUID(), randomUUID()]
      for (let call = 0; call < 2; call++) await reservations.take(name)
      await reservations.take(deferred)
      pause()
      assert.ok(!(reservations.take(deferred) instanceof Promise))
      // Eight are reserved ahead. The others wait.
      const burst = Array.from({ length: 20 }, () => reservations.take(name))
      await Promise.all([reservations.returnUnused(), ...burst])
      await eventually(async () => assert.ok((await hitsOf(service, deferred)) >= 2))
      await reservations.returnUnused()
      assert.equal(await hitsOf(service, name), 22)
      assert.equal(await hitsOf(service, deferred), 2)
    })

    it('reserves no hits ahead below a limit of 10', async () => {
      const reservations = createReservations({ count: 9, seconds: 3600 }, service.portico.database, hashKey, {
        otherProcesses: () => 0,
      })
      const name = randomUUID()
      for (let call = 0; call < 5; call++) await reservations.take(name)
      assert.equal(await hitsOf(service, name), 5)
    })

    it('has one deferred call at most, and counts it although the database could not be reached', async () => {
      let isBlocked = false
      const { reservations, pause } = reservationsOf(service, (database) => ({
        ...database,
        prepare: ((build, options) => {
          const run = database.prepare(build, options)
          return (...values) => (isBlocked ? Promise.reject(new Error('unreachable')) : run(...values))
        }) as Database['prepare'],
      }))
      const name = randomUUID()
      await reservations.take(name)
      pause()
      isBlocked = true
      assert.ok(!(reservations.take(name) instanceof Promise))
      for (let call = 0; call < 3; call++) {
        pause()
        await assert.rejects(async () => reservations.take(name), /unreachable/)
      }
      isBlocked = false
      await reservations.take(name)
      assert.equal(await hitsOf(service, name), 3)
    })

    for (const [instances, mostBeyond] of [
      [2, 1],
      [5, 0],
    ] as const) {
      it(`admits at most ${mostBeyond} calls beyond the limit of ${LIMIT} at ${instances} instances`, async () => {
        const otherProcesses = () => instances - 1
        const [first, ...others] = Array.from({ length: instances }, () =>
          reservationsOf(service, undefined, { otherProcesses }),
        ) as [ReturnType<typeof reservationsOf>, ...ReturnType<typeof reservationsOf>[]]
        const name = randomUUID()
        const admittedAt = async ({ reservations, pause }: typeof first, calls: number) => {
          let admitted = 0
          for (let call = 0; call < calls; call++) {
            pause()
            if ((await reservations.take(name)).isAdmitted) admitted += 1
          }
          return admitted
        }
        for (const instance of others) assert.equal(await admittedAt(instance, 1), 1)
        assert.equal(await admittedAt(first, LIMIT), LIMIT - others.length)
        let beyond = 0
        for (const instance of others) beyond += await admittedAt(instance, 10)
        assert.ok(beyond <= mostBeyond, `${beyond} calls beyond the limit`)
        assert.equal(await admittedAt(first, 10), 0)
      })
    }

    it('waits for the count of a call while the number of processes is not known', async () => {
      const { reservations, pause } = reservationsOf(service, undefined, { otherProcesses: undefined })
      const name = randomUUID()
      await reservations.take(name)
      pause()
      assert.ok(reservations.take(name) instanceof Promise)
    })

    it('counts a call whose counter was evicted from the cache before', async () => {
      const { reservations, pause } = reservationsOf(service, undefined, { cacheBytes: 1000 })
      const name = randomUUID()
      await reservations.take(name)
      pause()
      assert.ok(!(reservations.take(name) instanceof Promise))
      for (let other = 0; other < 10; other++) await reservations.take(randomUUID())
      await eventually(async () => assert.equal(await hitsOf(service, name), 2))
    })

    it('admits no call beyond the limit while a statement is slow', async () => {
      const gate = Promise.withResolvers<void>()
      let isSlow = false
      const { reservations, pause } = reservationsOf(service, (database) => ({
        ...database,
        prepare: ((build, options) => {
          const run = database.prepare(build, options)
          return async (...values) => {
            if (isSlow) await gate.promise
            return run(...values)
          }
        }) as Database['prepare'],
      }))
      const name = randomUUID()
      await reservations.take(name)
      isSlow = true
      const burst = Array.from({ length: LIMIT }, () => reservations.take(name))
      await new Promise(setImmediate)
      pause()
      const late = reservations.take(name)
      gate.resolve()
      const results = await Promise.all([...burst, late])
      assert.equal(results.filter(({ isAdmitted }) => isAdmitted).length, LIMIT - 1)
    })

    it('waits for the statement once half of the limit is used, or when calls follow each other', async () => {
      const { reservations, pause } = reservationsOf(service)
      const name = randomUUID()
      await Promise.all(Array.from({ length: LIMIT / 2 - 1 }, () => reservations.take(name)))
      assert.ok(reservations.take(name) instanceof Promise)
      await new Promise(setImmediate)
      await eventually(async () => assert.equal(await hitsOf(service, name), LIMIT / 2))
      pause()
      const taken = reservations.take(name)
      assert.ok(taken instanceof Promise)
      assert.equal((await taken).remaining, LIMIT / 2 - 1)
    })
  }, LIMITED)
})

describe('the general rate limit of one of several workers', () => {
  onBothEngines(
    (service) => {
      it('counts each call before it is admitted, also before the others have reported', async () => {
        const { limits } = service.portico
        const session = counter('api', 'session', randomUUID())
        for (let call = 0; call < 3; call++) {
          const taken = limits.take(uncounted(), session)
          assert.ok(taken instanceof Promise)
          await taken
          await setTimeout(120)
        }
      })
    },
    { ...LIMITED, WORKERS: '3' },
  )
})
