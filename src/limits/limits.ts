import type { Config } from '../config/config.ts'
import { LIMIT_NAMES, type LimitName, mayPassUncounted } from '../config/limit-kinds.ts'
import type { Rate } from '../config/settings-reader.ts'
import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import { networksAround, rateLimitAddress } from '../http/client.ts'
import { type Counter, counter, type Limits } from '../http/rate-limit.ts'
import { Refusal, tooManyRequests } from '../http/refusal.ts'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Observer } from '../lib/observer.ts'
import { type CounterRow, countHits, type Hit } from './count-hits.ts'
import { createReservations, type Reservations, type TakeResult } from './limit-reservations.ts'

/** The counters of an address and of its networks, which bound a client that has many addresses of one network. */
export function networkCounters(limit: LimitName, ip: string): Counter[] {
  const networks = networksAround(ip).map(({ prefix, ...network }) => ({ ...counter(limit, prefix), network }))
  return [counter(limit, rateLimitAddress(ip)), ...networks]
}

interface LimitOptions {
  observer?: Pick<Observer, 'limited'> | undefined
  /** The number of other processes that use the database. */
  otherProcesses?: (() => number) | undefined
}

/** The counters are rows of the database, which all instances share. Without a configuration, every request passes. */
export function createLimits(
  config: Config['rateLimits'],
  database: Database,
  hash: (text: string) => string,
  { observer, otherProcesses }: LimitOptions = {},
): Limits {
  if (!config) return { take: () => ({}) }
  const rates: Record<LimitName, Rate> = config
  const policies = Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, policyText({ name, ...rates[name] })]),
  ) as Record<LimitName, string>
  const statements: ReturnType<typeof prepare>[] = []
  /** By limit and kind of subject. Names of counters without the kind are strings whose hash V8 has computed before. */
  const reservations = new Map(
    LIMIT_NAMES.filter(mayPassUncounted).map((name) => [name, new Map<string, Reservations>()]),
  )

  return {
    take(...counters) {
      const [first] = counters as [Counter]
      const byKind = counters.length === 1 && reservations.get(first.limit)
      if (!byKind) return chain(takeTiers(tiersOf(counters).map((tier) => tier.map(policyOf))), rateLimitHeaders)
      const [kind, subject] = first.subject as [string, string]
      const taken = (byKind.get(kind) ?? addKind(byKind, first.limit, kind)).take(subject)
      const admit = (result: TakeResult) => admitReserved(first.limit, result)
      return taken instanceof Promise ? taken.then(admit, passUncounted) : admit(taken)
    },
  }

  function addKind(byKind: Map<string, Reservations>, limit: LimitName, kind: string): Reservations {
    const keyOf = (subject: string) => hash(counterName(limit, [kind, subject]))
    const added = createReservations(rates[limit], database, keyOf, { otherProcesses })
    byKind.set(kind, added)
    return added
  }

  function policyOf({ limit, subject, cost, network }: Counter): Policy {
    const { count, seconds } = rates[limit]
    const name = network ? `${limit}-${network.bits}` : limit
    return { name, count: count * (network?.factor ?? 1), seconds, key: hash(counterName(name, subject)), cost }
  }

  /**
   * Runs one statement for each tier, the narrowest first. A request that a tier refuses is not counted in the wider
   * tiers, so a client that is over its own limit does not exhaust the limit of its network.
   */
  function takeTiers([first = [], ...wider]: Policy[][]): MaybePromise<CounterStatus[]> {
    return chain(takeExactly(first), (statuses) =>
      wider.length === 0 ? statuses : chain(takeTiers(wider), (others) => [...statuses, ...others]),
    )
  }

  /**
   * Counts in one atomic statement. An error of the database fails the request: these limits protect passwords and
   * mails, so no request may pass uncounted.
   */
  function takeExactly(policies: Policy[]): MaybePromise<CounterStatus[]> {
    // Every statement locks its rows in the order of their keys, so that two statements cannot deadlock.
    const ordered = policies.length === 1 ? policies : policies.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    statements[ordered.length] ??= prepare(ordered.length)
    const hits = (statements[ordered.length] as ReturnType<typeof prepare>)(
      ...ordered.flatMap(({ key, seconds, cost }) => [key, seconds * 1000, cost]),
    )
    return chain(hits, (hits) => admitCounted(policies, hits, refuse))
  }

  /** Without an fsync on SQLite: a power cut may lose the last hits. */
  function prepare(size: number) {
    return database.prepare((query, ...args: Arg<string | number>[]) => countHits(query, database.now, rowsOf(args)), {
      skipsFsync: ['sqlite'],
      arity: size * 3,
    })
  }

  function admitReserved(name: LimitName, { isAdmitted, remaining, secondsLeft }: TakeResult): Record<string, string> {
    if (!isAdmitted) refuse({ name, ...rates[name], remaining, secondsLeft })
    return { 'RateLimit-Policy': policies[name], RateLimit: stateOf({ name, remaining, secondsLeft }) }
  }

  function refuse(status: CounterStatus): never {
    observer?.limited(status.name)
    throw refusalOf(status)
  }

  /** Admits a request without headers while the database is unavailable. */
  function passUncounted(error: unknown): Record<string, string> {
    if (database.isUnavailable(error)) return {}
    throw error
  }
}

/** The counters of the address first, then those of each network, the longest prefix first. */
function tiersOf(counters: Counter[]): Counter[][] {
  const byBits = Map.groupBy(counters, ({ network }) => network?.bits ?? Number.POSITIVE_INFINITY)
  return [...byBits].sort(([one], [other]) => (one > other ? -1 : 1)).map(([, tier]) => tier)
}

function counterName(name: string, subject: string[]): string {
  return JSON.stringify([name, ...subject])
}

/** A counter with its limit. The RateLimit-Policy header states its name, count and seconds. */
interface Policy extends Rate {
  name: string
  key: string
  cost: number
}

/** A counter after a request, as the RateLimit header states it. */
interface CounterStatus extends Rate {
  name: string
  remaining: number
  secondsLeft: number
}

/** Calls `refuse` if a counter is past its limit. */
function admitCounted(policies: Policy[], hits: Hit[], refuse: (status: CounterStatus) => never): CounterStatus[] {
  const statuses = policies.map((policy) => statusOf(policy, hits.find(({ key }) => key === policy.key) as Hit))
  const exhausted = statuses.filter(({ isPast }) => isPast)
  if (exhausted.length === 0) return statuses
  // Retry-After comes from the counter that resets last: an earlier retry would be refused again.
  return refuse(exhausted.reduce((last, next) => (next.secondsLeft > last.secondsLeft ? next : last)))
}

function statusOf(
  { name, count, seconds }: Policy,
  { hits, resets_at, now }: Hit,
): CounterStatus & { isPast: boolean } {
  const secondsLeft = Math.max(1, Math.ceil((resets_at - now) / 1000))
  return { name, count, seconds, remaining: Math.max(0, count - hits), secondsLeft, isPast: hits > count }
}

function refusalOf(status: CounterStatus): Refusal {
  const headers = { ...rateLimitHeaders([status]), 'Retry-After': String(status.secondsLeft) }
  return new Refusal(tooManyRequests, { headers })
}

/** The headers of the IETF draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers). */
function rateLimitHeaders(statuses: CounterStatus[]): Record<string, string> {
  return { 'RateLimit-Policy': statuses.map(policyText).join(', '), RateLimit: statuses.map(stateOf).join(', ') }
}

function policyText({ name, count, seconds }: Pick<CounterStatus, 'name' | keyof Rate>): string {
  return `"${name}";q=${count};w=${seconds}`
}

function stateOf({ name, remaining, secondsLeft }: Omit<CounterStatus, keyof Rate>): string {
  return `"${name}";r=${remaining};t=${secondsLeft}`
}

function rowsOf(args: Arg<string | number>[]): CounterRow[] {
  return Array.from({ length: args.length / 3 }, (_, row) => {
    const [key, windowMs, cost] = args.slice(row * 3) as [Arg<string>, Arg<number>, Arg<number>]
    return { key, windowMs, cost }
  })
}
