import type { Config } from '../config/config.ts'
import { LIMIT_NAMES, type LimitName, mayPassUncounted } from '../config/limit-kinds.ts'
import type { Rate } from '../config/settings-reader.ts'
import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import { networksAround, rateLimitAddress } from './client.ts'
import { type CounterRow, countHits, type Hit } from './count-hits.ts'
import { createReservations, type Known } from './limit-reservations.ts'
import { Refusal, tooManyRequests } from './refusal.ts'

/** One counter of a limit. */
export interface Counter {
  limit: LimitName
  /** Whom it counts: an account, an address, a session. */
  whom: string[]
  /** How many hits this request is. */
  cost: number
  /** Of a network: the length of its prefix, and how many times the rate of one address it is allowed. */
  network?: { bits: number; factor: number }
}

export interface Limits {
  /**
   * Counts the request in each of these counters and refuses it with 429 when one of them is past its limit. The
   * counters of a network are counted after those of the address, and only for a request that the address is admitted
   * with. Returns the headers that tell where the counters stand. A limit that may pass uncounted is taken alone, and
   * from hits that this process has reserved.
   */
  take(...counters: Counter[]): MaybePromise<Record<string, string>>
}

export function counter(limit: LimitName, ...whom: string[]): Counter {
  return { limit, whom, cost: 1 }
}

/** The counters of an address and of the networks around it: many addresses of one network do not multiply a limit. */
export function networkCounters(limit: LimitName, ip: string): Counter[] {
  const networks = networksAround(ip).map(({ prefix, ...network }) => ({ ...counter(limit, prefix), network }))
  return [counter(limit, rateLimitAddress(ip)), ...networks]
}

/** Counters live in the database, so that every instance counts together. */
export function createLimits(config: Config['rateLimits'], database: Database, hash: (text: string) => string): Limits {
  if (!config) return { take: () => ({}) }
  const rates: Record<LimitName, Rate> = config
  const statements: ReturnType<typeof prepare>[] = []
  const reserved = new Map(
    LIMIT_NAMES.filter(mayPassUncounted).map((name) => [name, createReservations(rates[name], database, hash)]),
  )

  return {
    take(...counters) {
      const [first] = counters as [Counter]
      const reservations = counters.length === 1 && reserved.get(first.limit)
      if (!reservations) return chain(takeTiers(tiersOf(counters).map((tier) => tier.map(policyOf))), describe)
      const known = reservations.take(textOf(first.limit, first.whom))
      const answer = (known: Known) => answerKnown(first.limit, known)
      return known instanceof Promise ? known.then(answer, passUncounted) : answer(known)
    },
  }

  function policyOf({ limit, whom, cost, network }: Counter): Policy {
    const { count, seconds } = rates[limit]
    const name = network ? `${limit}-${network.bits}` : limit
    return { name, count: count * (network?.factor ?? 1), seconds, key: hash(textOf(name, whom)), cost }
  }

  /**
   * One statement for each tier. A refused request adds nothing to wider tiers: no client exhausts its neighbours'
   * limit.
   */
  function takeTiers([first = [], ...wider]: Policy[][]): MaybePromise<Standing[]> {
    return chain(takeExactly(first), (standings) =>
      wider.length === 0 ? standings : chain(takeTiers(wider), (others) => [...standings, ...others]),
    )
  }

  /** One atomic statement. A request that cannot be counted is refused: it may guess a password or send a mail. */
  function takeExactly(policies: Policy[]): MaybePromise<Standing[]> {
    // One order of row locks for all: of two statements that share counters, neither waits for the other for ever.
    const ordered = policies.length === 1 ? policies : policies.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    statements[ordered.length] ??= prepare(ordered.length)
    const hits = (statements[ordered.length] as ReturnType<typeof prepare>)(
      ...ordered.flatMap(({ key, seconds, cost }) => [key, seconds * 1000, cost]),
    )
    return chain(hits, (hits) => answerHits(policies, hits))
  }

  /** The counters of one request. A power cut may forget the last hits; waiting for the disk would slow every call. */
  function prepare(size: number) {
    return database.prepare((query, ...args: Arg<string | number>[]) => countHits(query, database.now, rowsOf(args)), {
      hasRelaxedDurability: true,
      arity: size * 3,
    })
  }

  function answerKnown(name: LimitName, { isAdmitted, remaining, secondsLeft }: Known): Record<string, string> {
    const standing = { name, ...rates[name], remaining, secondsLeft }
    if (!isAdmitted) throw refusalOf(standing)
    return describe([standing])
  }

  function passUncounted(error: unknown): Record<string, string> {
    if (database.isUnavailable(error)) return {}
    throw error
  }
}

/** The counters of the address itself, then those of each network, the narrowest first. */
function tiersOf(counters: Counter[]): Counter[][] {
  const byBits = Map.groupBy(counters, ({ network }) => network?.bits ?? Number.POSITIVE_INFINITY)
  return [...byBits].sort(([one], [other]) => (one > other ? -1 : 1)).map(([, tier]) => tier)
}

function textOf(name: string, whom: string[]): string {
  return JSON.stringify([name, ...whom])
}

/** One counter with its limit, as the headers call it. */
interface Policy extends Rate {
  name: string
  key: string
  cost: number
}

/** What the headers tell of a counter. */
interface Standing extends Rate {
  name: string
  remaining: number
  secondsLeft: number
}

function answerHits(policies: Policy[], hits: Hit[]): Standing[] {
  const standings = policies.map((policy) => standingOf(policy, hits.find(({ key }) => key === policy.key) as Hit))
  const exhausted = standings.filter(({ isPast }) => isPast)
  if (exhausted.length === 0) return standings
  // Before the last of them is open again, another try is of no use.
  throw refusalOf(exhausted.reduce((last, next) => (next.secondsLeft > last.secondsLeft ? next : last)))
}

function standingOf({ name, count, seconds }: Policy, { hits, resets_at, now }: Hit): Standing & { isPast: boolean } {
  const secondsLeft = Math.max(1, Math.ceil((resets_at - now) / 1000))
  return { name, count, seconds, remaining: Math.max(0, count - hits), secondsLeft, isPast: hits > count }
}

function refusalOf(standing: Standing): Refusal {
  const headers = { ...describe([standing]), 'Retry-After': String(standing.secondsLeft) }
  return new Refusal(tooManyRequests, { headers })
}

/** As in the IETF draft "RateLimit header fields for HTTP": lists of policies by name. */
function describe(standings: Standing[]): Record<string, string> {
  const list = (item: (standing: Standing) => string) => standings.map(item).join(', ')
  return {
    'RateLimit-Policy': list(({ name, count, seconds }) => `"${name}";q=${count};w=${seconds}`),
    RateLimit: list(({ name, remaining, secondsLeft }) => `"${name}";r=${remaining};t=${secondsLeft}`),
  }
}

function rowsOf(args: Arg<string | number>[]): CounterRow[] {
  return Array.from({ length: args.length / 3 }, (_, row) => {
    const [key, milliseconds, cost] = args.slice(row * 3) as [Arg<string>, Arg<number>, Arg<number>]
    return { key, milliseconds, cost }
  })
}
