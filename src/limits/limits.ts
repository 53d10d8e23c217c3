import type { Config } from '../config/config.ts'
import { LIMIT_NAMES, type LimitName, mayPassUncounted } from '../config/limit-kinds.ts'
import type { Rate } from '../config/settings-reader.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Arg } from '../database/prepared.ts'
import { networksAround, rateLimitAddress } from '../http/client-address.ts'
import { type CountedRequest, type Counter, counter, type Limits } from '../http/rate-limit.ts'
import { Refusal, tooManyRequests } from '../http/refusal.ts'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Observer } from '../lib/observer.ts'
import { type CounterRow, countHit, countHits, type Hit } from './count-hits.ts'
import { createReservations, type Reservations, type TakeResult } from './limit-reservations.ts'
import { policyText, setRateLimitHeaders, stateText } from './rate-limit-headers.ts'

/** The counters of an address and of its networks, which bound a client that has many addresses of one network. */
export function networkCounters(limit: LimitName, ip: string): Counter[] {
  const networks = networksAround(ip).map(({ prefix, ...network }) => ({ ...counter(limit, prefix), network }))
  return [counter(limit, rateLimitAddress(ip)), ...networks]
}

/** The limits, with those that are counted in a transaction: a hit is rolled back together with it. */
export interface RateLimits extends Limits {
  /**
   * Counts a hit and returns whether it is within the limit. No header states this limit, so that a public operation
   * can count for existing accounts only, and does not tell which exist.
   */
  isWithin(tx: Tx, counter: Counter): Promise<boolean>
  /**
   * Counts a hit, and states the limit in the headers of the response. Throws a refusal when the limit is exceeded. The
   * command line has no request.
   */
  takeIn(tx: Tx, request: CountedRequest | undefined, counter: Counter): Promise<void>
  /** Whether this process may have unused hits that it has reserved as the only one on the database. */
  hasReservedAlone(): boolean
  /** Returns the hits that this process has reserved and not handed out. Never rejects. */
  returnUnused(): Promise<void>
}

interface LimitOptions {
  observer?: Pick<Observer, 'limited'> | undefined
  /** The number of other processes that use the database. */
  otherProcesses?: (() => number) | undefined
}

/** The counters are rows of the database, which all instances share. Without a configuration, nothing is limited. */
export function createLimits(
  config: Config['rateLimits'],
  database: Database,
  hash: (text: string) => string,
  { observer, otherProcesses }: LimitOptions = {},
): RateLimits {
  if (!config) {
    return {
      take: () => undefined,
      isWithin: async () => true,
      takeIn: async () => {},
      hasReservedAlone: () => false,
      returnUnused: async () => {},
    }
  }
  const rates: Record<LimitName, Rate> = config
  const policies = Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, policyText({ name, ...rates[name] })]),
  ) as Record<LimitName, string>
  const statements: ReturnType<typeof prepare>[] = []
  /**
   * By limit, then by kind of subject. A counter has the subject alone as its key, such as a session id: V8 keeps the
   * hash of that string, and would compute the hash of a new string of kind and subject for each request.
   */
  const reservations = new Map(
    LIMIT_NAMES.filter(mayPassUncounted).map((name) => [name, new Map<string, Reservations>()]),
  )

  return {
    take(request, ...counters) {
      const [first] = counters as [Counter]
      const byKind = counters.length === 1 && reservations.get(first.limit)
      if (!byKind)
        return takeInGroups(
          request,
          groupByPrefixLength(counters).map((group) => group.map(policyOf)),
        )
      const [kind, subject] = first.subject as [string, string]
      const taken = (byKind.get(kind) ?? addKind(byKind, first.limit, kind)).take(subject)
      if (!(taken instanceof Promise)) return admitReserved(request, first.limit, taken)
      return taken.then((result) => admitReserved(request, first.limit, result), passUncounted)
    },
    async isWithin(tx, counter) {
      const { name, isExceeded } = await countIn(tx, counter)
      if (isExceeded) observer?.limited(name)
      return !isExceeded
    },
    async takeIn(tx, request, counter) {
      const status = await countIn(tx, counter)
      if (request) setRateLimitHeaders(request, policyText(status), stateText(status.name, status))
      if (status.isExceeded) refuse(status)
    },
    hasReservedAlone: () => allReservations().some((each) => each.hasReservedAlone()),
    async returnUnused() {
      await Promise.all(allReservations().map((each) => each.returnUnused()))
    },
  }

  function allReservations(): Reservations[] {
    return [...reservations.values()].flatMap((byKind) => [...byKind.values()])
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
    const key = hash(counterName(name, subject))
    return { name, isNetwork: network !== undefined, count: count * (network?.factor ?? 1), seconds, key, cost }
  }

  /**
   * Runs one statement for each prefix length, the longest first. A request that the counters of a prefix refuse is not
   * counted for shorter prefixes, so a client that is over its own limit does not exhaust the limit of its network.
   */
  function takeInGroups(request: CountedRequest, [longest = [], ...shorter]: Policy[][]): MaybePromise<undefined> {
    return chain(takeExactly(request, longest), () =>
      shorter.length === 0 ? undefined : takeInGroups(request, shorter),
    )
  }

  /**
   * Counts in one atomic statement. An error of the database fails the request: these limits protect passwords and
   * mails, so no request may pass uncounted.
   */
  function takeExactly(request: CountedRequest, policies: Policy[]): MaybePromise<undefined> {
    // Every statement locks its rows in the order of their keys, so that two statements cannot deadlock.
    const ordered = policies.length === 1 ? policies : policies.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    statements[ordered.length] ??= prepare(ordered.length)
    const hits = (statements[ordered.length] as ReturnType<typeof prepare>)(
      ...ordered.flatMap(({ key, seconds, cost }) => [key, seconds * 1000, cost]),
    )
    return chain(hits, (hits) => {
      const statuses = policies.map((policy) => statusOf(policy, hits.find(({ key }) => key === policy.key) as Hit))
      // The hits that are left for a network would tell the client about the requests of others.
      const stated = statuses.filter(({ isNetwork, isExceeded }) => !isNetwork || isExceeded)
      for (const status of strictestOf(stated))
        setRateLimitHeaders(request, policyText(status), stateText(status.name, status))
      const exhausted = statuses.filter(({ isExceeded }) => isExceeded)
      // Retry-After comes from the counter that resets last: an earlier retry would be refused again.
      if (exhausted.length > 0)
        refuse(exhausted.reduce((last, next) => (next.secondsLeft > last.secondsLeft ? next : last)))
      return undefined
    })
  }

  /** On SQLite, this statement waits for no fsync: a power cut may undo the last hits. */
  function prepare(size: number) {
    return database.prepare((query, ...args: Arg<string | number>[]) => countHits(query, database.now, rowsOf(args)), {
      relaxedDurability: ['sqlite'],
      arity: size * 3,
    })
  }

  async function countIn(tx: Tx, counter: Counter): Promise<CounterStatus> {
    const policy = policyOf(counter)
    return statusOf(
      policy,
      await countHit(tx, database.now, policy.key, policy.seconds * 1000).executeTakeFirstOrThrow(),
    )
  }

  function admitReserved(request: CountedRequest, limit: LimitName, result: TakeResult): undefined {
    setRateLimitHeaders(request, policies[limit], stateText(limit, result))
    if (!result.isAdmitted) refuse({ name: limit, secondsLeft: result.secondsLeft })
  }

  function refuse({ name, secondsLeft }: Pick<CounterStatus, 'name' | 'secondsLeft'>): never {
    observer?.limited(name)
    throw new Refusal(tooManyRequests, { headers: { 'Retry-After': String(secondsLeft) } })
  }

  /** Admits a request without headers while the database is unavailable. */
  function passUncounted(error: unknown): undefined {
    if (database.isUnavailable(error)) return undefined
    throw error
  }
}

/**
 * Groups the counters by the prefix length of their network, the longest first. The counters of the address come first.
 */
function groupByPrefixLength(counters: Counter[]): Counter[][] {
  const byBits = Map.groupBy(counters, ({ network }) => network?.bits ?? Number.POSITIVE_INFINITY)
  return [...byBits].sort(([one], [other]) => (one > other ? -1 : 1)).map(([, group]) => group)
}

function counterName(name: string, subject: string[]): string {
  return JSON.stringify([name, ...subject])
}

/** A counter with its limit. The RateLimit-Policy header states its name, count and seconds. */
interface Policy extends Rate {
  name: string
  isNetwork: boolean
  key: string
  cost: number
}

/** A counter after a request, as the RateLimit header states it. */
interface CounterStatus extends Rate {
  name: string
  isNetwork: boolean
  remaining: number
  secondsLeft: number
  isExceeded: boolean
}

function statusOf({ name, isNetwork, count, seconds }: Policy, { hits, resets_at, now }: Hit): CounterStatus {
  const secondsLeft = Math.max(1, Math.ceil((resets_at - now) / 1000))
  const remaining = Math.max(0, count - hits)
  return { name, isNetwork, count, seconds, remaining, secondsLeft, isExceeded: hits > count }
}

/** One status for each name: of counters of the same limit, the one with the fewest hits left. */
function strictestOf(statuses: CounterStatus[]): CounterStatus[] {
  const isStricter = (one: CounterStatus, other: CounterStatus) =>
    one.remaining < other.remaining || (one.remaining === other.remaining && one.secondsLeft > other.secondsLeft)
  return statuses.filter((status) => !statuses.some((other) => other.name === status.name && isStricter(other, status)))
}

function rowsOf(args: Arg<string | number>[]): CounterRow[] {
  return Array.from({ length: args.length / 3 }, (_, row) => {
    const [key, windowMs, cost] = args.slice(row * 3) as [Arg<string>, Arg<number>, Arg<number>]
    return { key, windowMs, cost }
  })
}
