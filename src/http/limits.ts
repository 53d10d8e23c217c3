import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { Query } from '../database/engine.ts'
import type { Arg } from '../database/prepared.ts'
import { type LimitName, mayPassUncounted } from '../limit-kinds.ts'
import type { Rate } from '../settings-reader.ts'
import { type Soon, when } from '../soon.ts'
import { networksAround, rateLimitAddress } from './client.ts'
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
   * Counts the request in each of these counters, all of them in one atomic statement, and refuses it with 429 when one
   * of them is past its limit. Returns the headers that tell where the counters stand.
   */
  take(...counters: Counter[]): Soon<Record<string, string>>
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
  const statements: ReturnType<typeof prepare>[] = []

  return {
    take(...counters) {
      const policies = counters.map(policyOf)
      const hits = counters.every(({ limit }) => mayPassUncounted(limit)) ? countIfPossible(policies) : count(policies)
      return when(hits, (hits) => (hits.length > 0 ? standing(policies, hits) : {}))
    },
  }

  function policyOf({ limit, whom, cost, network }: Counter): Policy {
    const { count, seconds } = (config as Record<LimitName, Rate>)[limit]
    const name = network ? `${limit}-${network.bits}` : limit
    return { name, count: count * (network?.factor ?? 1), seconds, key: hash(JSON.stringify([name, ...whom])), cost }
  }

  function count(policies: Policy[]): Soon<Hit[]> {
    // One order of row locks for all: of two statements that share counters, neither waits for the other for ever.
    const ordered = policies.length === 1 ? policies : policies.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    statements[ordered.length] ??= prepare(ordered.length)
    return (statements[ordered.length] as ReturnType<typeof prepare>)(
      ...ordered.flatMap(({ key, seconds, cost }) => [key, seconds * 1000, cost]),
    )
  }

  /** The counters of one request. A power cut may forget the last hits; waiting for the disk would slow every call. */
  function prepare(size: number) {
    return database.prepare((query, ...args: Arg<string | number>[]) => countHits(query, database.now, rowsOf(args)), {
      isFleeting: true,
      arity: size * 3,
    })
  }

  /** What guards a password or a mail stays shut when it cannot be counted. */
  function countIfPossible(policies: Policy[]): Soon<Hit[]> {
    try {
      const hits = count(policies)
      return hits instanceof Promise ? hits.catch(uncounted) : hits
    } catch (error) {
      return uncounted(error)
    }
  }

  function uncounted(error: unknown): Hit[] {
    if (database.isUnavailable(error)) return []
    throw error
  }
}

/** One counter with its limit, as the headers call it. */
interface Policy extends Rate {
  name: string
  key: string
  cost: number
}

interface Hit {
  key: string
  hits: number
  resets_at: number
  now: number
}

interface Standing extends Policy {
  hits: number
  secondsLeft: number
}

function standing(policies: Policy[], hits: Hit[]): Record<string, string> {
  const standings = policies.map((policy) => standingOf(policy, hits.find(({ key }) => key === policy.key) as Hit))
  const exhausted = standings.filter(({ hits, count }) => hits > count)
  if (exhausted.length === 0) return describe(standings)
  // Before the last of them is open again, another try is of no use.
  const last = exhausted.reduce((last, next) => (next.secondsLeft > last.secondsLeft ? next : last))
  throw new Refusal(tooManyRequests, { headers: { ...describe([last]), 'Retry-After': String(last.secondsLeft) } })
}

function standingOf(policy: Policy, { hits, resets_at, now }: Hit): Standing {
  return { ...policy, hits, secondsLeft: Math.max(1, Math.ceil((resets_at - now) / 1000)) }
}

/** As in the IETF draft "RateLimit header fields for HTTP": lists of policies by name. */
function describe(standings: Standing[]): Record<string, string> {
  const list = (item: (standing: Standing) => string) => standings.map(item).join(', ')
  return {
    'RateLimit-Policy': list(({ name, count, seconds }) => `"${name}";q=${count};w=${seconds}`),
    RateLimit: list(
      ({ name, count, hits, secondsLeft }) => `"${name}";r=${Math.max(0, count - hits)};t=${secondsLeft}`,
    ),
  }
}

interface CounterRow {
  key: Arg<string> | string
  milliseconds: Arg<number> | number
  cost: Arg<number> | number
}

function rowsOf(args: Arg<string | number>[]): CounterRow[] {
  return Array.from({ length: args.length / 3 }, (_, row) => {
    const [key, milliseconds, cost] = args.slice(row * 3) as [Arg<string>, Arg<number>, Arg<number>]
    return { key, milliseconds, cost }
  })
}

/** Counts one hit, for limits that are part of a transaction. */
export function countHit(query: Query, now: Database['now'], key: string, milliseconds: number) {
  return countHits(query, now, [{ key, milliseconds, cost: 1 }])
}

/** A window opens with its first hit and starts anew when its time is over. The keys are distinct. */
function countHits(query: Query, now: Database['now'], rows: CounterRow[]) {
  return query
    .insertInto('rate_limits')
    .values((eb) =>
      rows.map(({ key, milliseconds, cost }) => ({ key, hits: cost, resets_at: eb(now, '+', milliseconds) })),
    )
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => {
        const isOver = eb('rate_limits.resets_at', '<=', now)
        return {
          hits: eb
            .case()
            .when(isOver)
            .then(eb.ref('excluded.hits'))
            .else(eb('rate_limits.hits', '+', eb.ref('excluded.hits')))
            .end(),
          resets_at: eb
            .case()
            .when(isOver)
            .then(eb.ref('excluded.resets_at'))
            .else(eb.ref('rate_limits.resets_at'))
            .end(),
        }
      }),
    )
    .returning(['rate_limits.key', 'rate_limits.hits', 'rate_limits.resets_at', now.as('now')])
}
