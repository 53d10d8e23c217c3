import { setImmediate } from 'node:timers/promises'
import { DATABASE_TIMEOUT_MS } from '../config/database-settings.ts'
import type { Rate } from '../config/settings-reader.ts'
import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { countHitsByKey, type Hit } from './count-hits.ts'
import { prefetchSize } from './prefetch-size.ts'

/** Whether a request is admitted, and the state of its counter after it, as this process knows it. */
export interface TakeResult {
  isAdmitted: boolean
  remaining: number
  secondsLeft: number
}

export interface Reservations {
  /** Takes one hit of the counter with this name. */
  take(name: string): MaybePromise<TakeResult>
  /** Whether this process may have unused hits that it has reserved as the only one on the database. */
  hasReservedAlone(): boolean
  /** Returns the unused hits to the database. Never rejects. */
  returnUnused(): Promise<void>
  /** An estimate of the memory in use. */
  readonly bytes: number
}

// A hit is deferred (counted after its request is admitted) on three conditions. Its counter has had no hit for
// MIN_PAUSE_MS. More than MIN_UNRESERVED_SHARE of the limit is not reserved. The number of other processes, each of
// which may exceed the limit by one deferred hit, is at most MAX_EXCESS_SHARE of the limit.
const MIN_PAUSE_MS = 100
const MIN_UNRESERVED_SHARE = 1 / 2
const MAX_EXCESS_SHARE = 1 / 100
// Hits of requests that are already admitted share a statement with others that arrive within this time.
const COUNT_DELAY_MS = 50
// A statement with this many rows takes a few milliseconds.
const MAX_ROWS_PER_STATEMENT = 200
// No hits are returned so shortly before the end of a window. A slow statement could return them to the next window,
// which would then admit more than the limit. A statement that takes longer than DATABASE_TIMEOUT_MS fails.
const MIN_RETURN_MS = 2 * DATABASE_TIMEOUT_MS
// About 24,000 counters. The next reservation of a dropped counter reads its row again.
const MAX_CACHE_BYTES = 8 * 2 ** 20

interface CachedCounter {
  key: string
  endsAtMs: number
  /** Reserved hits that are not yet handed out. */
  unused: number
  /** Hits of the limit that no process has reserved. */
  unreserved: number
  /** The hits that the latest reservation prefetched, and its time. */
  prefetched: number
  reservedAtMs: number
  lastHitAtMs: number
}

interface Options {
  now?: () => number
  cacheBytes?: number
  /** The number of other processes that use the database. */
  otherProcesses?: (() => number) | undefined
}

interface Waiter {
  resolve(result: TakeResult): void
  reject(error: unknown): void
}

interface Reservation {
  name: string
  waiters: Waiter[]
  key: string
  prefetched: number
  /**
   * The hits to reserve: one for each request, plus the deferred one, plus the prefetched, minus those that are
   * returned.
   */
  cost: number
  hasDeferred: boolean
}

/**
 * Reserves hits in the database and consumes them in this process without a statement. A reservation takes one hit for
 * each waiting request, and prefetches more when requests are frequent (`prefetch-size.ts`). One statement reserves for
 * all counters that have waiting requests. An exhausted counter refuses from memory until its window ends.
 *
 * A request of a client that calls at intervals does not wait for the statement. It is admitted at once, and its hit is
 * deferred: one statement counts it with others within COUNT_DELAY_MS. So such a client costs no round trip and a
 * fraction of a statement.
 *
 * These statements hold for each counter in each window:
 *
 * 1. A process has at most one deferred hit, which is one that is admitted and not yet in the database. While it has
 *    one, or waits for a reservation, it defers no other hit, also when the cache has dropped the counter.
 * 2. The reserved hits of all processes never exceed the limit.
 * 3. So one process never exceeds the limit: only its own hits are in the counter, and it counts a deferred hit before
 *    it reserves others.
 * 4. So n processes exceed the limit by at most n - 1 hits. Each process but one can have a deferred hit when others
 *    have reserved the rest. The process whose reservation leaves less than MIN_UNRESERVED_SHARE of the limit reads
 *    that in its row, and defers no further hit.
 *
 * No process defers a hit while the number of other processes, by the last report, is more than MAX_EXCESS_SHARE of the
 * limit.
 */
export function createReservations(
  { count: limit, seconds }: Rate,
  database: Database,
  keyOf: (name: string) => string,
  {
    now = () => performance.now(),
    cacheBytes = MAX_CACHE_BYTES,
    otherProcesses = () => Number.POSITIVE_INFINITY,
  }: Options = {},
): Reservations {
  const windowMs = seconds * 1000
  const counters = new BoundedCache<CachedCounter>(cacheBytes, now)
  const reserve = database.prepare((query, costs: Arg<string>) => countHitsByKey(query, database, costs, windowMs), {
    relaxedDurability: ['sqlite', 'postgres'],
  })
  let waiting = new Map<string, Waiter[]>()
  /** The requests that the running statement reserves hits for. */
  let reserving = new Map<string, Waiter[]>()
  /** The counters with a deferred hit, and the end of its window. */
  const deferred = new Map<string, number>()
  /** The counters whose unused hits are to be returned. */
  const returning = new Set<string>()
  let reservedAloneUntilMs = 0
  let isCountDue = false
  let isReserving = false
  let allReserved: Promise<void> = Promise.resolve()
  let nextSweepAtMs = 0

  return {
    take(name) {
      const counter = counters.get(name)
      if (!counter) return wait(name)
      if (canDecideLocally(counter)) return takeFrom(counter)
      return mayDeferCount(name, counter) ? takeDeferred(name, counter) : wait(name)
    },
    hasReservedAlone: () => now() < reservedAloneUntilMs,
    returnUnused() {
      reservedAloneUntilMs = 0
      const earliestEndMs = now() + MIN_RETURN_MS
      for (const [name, { unused, endsAtMs }] of counters.entries()) {
        if (unused === 0 || endsAtMs < earliestEndMs) continue
        returning.add(name)
        if (!waiting.has(name)) waiting.set(name, [])
      }
      startReserving()
      return allReserved
    },
    get bytes() {
      return counters.bytes
    },
  }

  function isOnlyProcess(): boolean {
    return otherProcesses() === 0
  }

  /** Whether the next request can be admitted or refused without the database. */
  function canDecideLocally({ unused, unreserved }: CachedCounter): boolean {
    return unused > 0 || unreserved === 0
  }

  function takeFrom(counter: CachedCounter): TakeResult {
    const isAdmitted = counter.unused > 0
    if (isAdmitted) counter.unused -= 1
    return resultOf(counter, isAdmitted)
  }

  function resultOf(counter: CachedCounter, isAdmitted: boolean): TakeResult {
    const nowMs = now()
    counter.lastHitAtMs = nowMs
    return {
      isAdmitted,
      remaining: counter.unreserved + counter.unused,
      secondsLeft: Math.max(1, Math.ceil((counter.endsAtMs - nowMs) / 1000)),
    }
  }

  function mayDeferCount(name: string, { unreserved, lastHitAtMs }: CachedCounter): boolean {
    const hasPendingCount = deferred.has(name) || waiting.has(name) || reserving.has(name)
    const isAllowed = otherProcesses() <= limit * MAX_EXCESS_SHARE
    return (
      isAllowed && !hasPendingCount && unreserved > limit * MIN_UNRESERVED_SHARE && now() - lastHitAtMs >= MIN_PAUSE_MS
    )
  }

  function takeDeferred(name: string, counter: CachedCounter): TakeResult {
    if (!isCountDue) setTimeout(countDeferred, COUNT_DELAY_MS).unref()
    isCountDue = true
    deferred.set(name, counter.endsAtMs)
    counter.unreserved -= 1
    return resultOf(counter, true)
  }

  /** Counts the hits of open windows, also those of which an earlier statement has failed. */
  function countDeferred(): void {
    isCountDue = false
    for (const [name, endsAtMs] of deferred) {
      if (endsAtMs <= now()) deferred.delete(name)
      else if (!waiting.has(name)) waiting.set(name, [])
    }
    startReserving()
  }

  function wait(name: string): Promise<TakeResult> {
    return new Promise((resolve, reject) => {
      const waiters = waiting.get(name)
      if (waiters) waiters.push({ resolve, reject })
      else waiting.set(name, [{ resolve, reject }])
      startReserving()
    })
  }

  function startReserving(): void {
    if (isReserving) return
    isReserving = true
    // Requests that arrive in the same iteration of the event loop share a statement.
    allReserved = setImmediate().then(reserveAll)
  }

  /**
   * Runs one statement at a time until no request waits. Requests that arrive during a statement share the next one.
   */
  async function reserveAll(): Promise<void> {
    try {
      while (waiting.size > 0) {
        reserving = new Map(waiting.entries().take(MAX_ROWS_PER_STATEMENT))
        for (const name of reserving.keys()) waiting.delete(name)
        await reserveFor([...reserving].flatMap(([name, waiters]) => reservationFor(name, waiters) ?? []))
      }
    } catch (error) {
      // The requests that wait for the next statement get the same error, so that no request waits for two timeouts.
      for (const waiters of [...reserving.values(), ...waiting.values()]) {
        for (const { reject } of waiters) reject(error)
      }
      waiting = new Map()
      returning.clear()
    }
    reserving = new Map()
    isReserving = false
  }

  /** Undefined when the previous statement has reserved enough for these requests too. */
  function reservationFor(name: string, waiters: Waiter[]): Reservation | undefined {
    const counter = counters.get(name)
    while (counter && waiters.length > 0 && canDecideLocally(counter)) waiters.shift()?.resolve(takeFrom(counter))
    const hasDeferred = (deferred.get(name) ?? 0) > now()
    const returned = returning.delete(name) && counter ? counter.unused : 0
    if (waiters.length === 0 && !hasDeferred && returned === 0) return undefined
    if (counter) counter.unused -= returned
    const mayPrefetch = returned === 0 && (waiters.length > 0 || isOnlyProcess())
    const prefetched = counter && mayPrefetch ? nextPrefetch(counter) : 0
    if (prefetched > 0 && isOnlyProcess()) reservedAloneUntilMs = now() + windowMs
    const cost = waiters.length + Number(hasDeferred) + prefetched - returned
    return { name, waiters, key: counter?.key ?? keyOf(name), prefetched, cost, hasDeferred }
  }

  function nextPrefetch({ prefetched, unreserved, reservedAtMs }: CachedCounter): number {
    return prefetchSize(limit, { prefetched, unreserved, ageMs: now() - reservedAtMs }, isOnlyProcess())
  }

  async function reserveFor(reservations: Reservation[]): Promise<void> {
    if (reservations.length === 0) return
    // Every process locks the rows in the order of their keys, so that two statements cannot deadlock.
    const sorted = reservations.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    const costs = Object.fromEntries(sorted.map(({ key, cost }) => [key, cost]))
    const sentAtMs = now()
    dropExpired(sentAtMs)
    const hits = new Map((await reserve(JSON.stringify(costs))).map((hit) => [hit.key, hit]))
    for (const reservation of reservations) applyReservation(reservation, hits.get(reservation.key) as Hit, sentAtMs)
  }

  /** Runs once per window, because it reads every entry. */
  function dropExpired(nowMs: number): void {
    if (nowMs < nextSweepAtMs) return
    counters.dropExpired()
    nextSweepAtMs = nowMs + windowMs
  }

  function applyReservation(
    { name, waiters, key, prefetched, cost, hasDeferred }: Reservation,
    hit: Hit,
    sentAtMs: number,
  ): void {
    // Computed from the time at which the statement was sent, so the window ends here no later than by the database's
    // clock.
    const counter = counters.get(name) ?? addCounter(name, key, sentAtMs + hit.resets_at - hit.now)
    const hitsBefore = hit.hits - cost
    const granted = Math.min(cost, Math.max(0, limit - hitsBefore))
    counter.unused = Math.max(0, granted - Number(hasDeferred))
    if (hasDeferred) deferred.delete(name)
    reserving.delete(name)
    counter.unreserved = Math.max(0, limit - hit.hits)
    counter.prefetched = prefetched
    counter.reservedAtMs = sentAtMs
    for (const { resolve } of waiters) resolve(takeFrom(counter))
  }

  function addCounter(name: string, key: string, endsAtMs: number): CachedCounter {
    const counter = { key, endsAtMs, unused: 0, unreserved: 0, prefetched: 0, reservedAtMs: 0, lastHitAtMs: 0 }
    counters.set(name, counter, endsAtMs)
    return counter
  }
}
