import { ClientGone } from '../http/body.ts'
import { Refusal, unavailable } from '../http/refusal.ts'

/** For whom a password is hashed. */
export interface HashClient {
  /** The network that shares one turn in the queue: an IPv4 /24 or an IPv6 /48. */
  network: string
  connection(): ConnectionState
}

/**
 * `half-closed`: the client has closed its sending side, and may read the response or may have left. Both look the same
 * until something is written to the connection. `closed`: nobody would read the response.
 */
export type ConnectionState = 'open' | 'half-closed' | 'closed'

const RETRY_AFTER_SECONDS = '2'
const RECENT_MS = 30_000

interface Entry {
  client: HashClient
  start(): void
  reject(error: Error): void
}

/**
 * A bounded queue that is fair to networks. Every second entry is of the network that had the fewest in the last half
 * minute: somebody who logs in now and then waits for nobody who does so all the time. The entries between them start in
 * rounds, one entry of each network in a round, so that no network waits for ever, however many new ones come.
 *
 * When the queue is full, the last entry of the network with the most entries is refused with 503. That is the new entry
 * itself when no other network would have more.
 *
 * Clients that have left delay nobody. Entries whose connection is closed never start and never fill the queue. Entries
 * whose connection is half-closed start when no other entry waits, and are the first to be refused.
 */
export function fairQueue({ concurrency, capacity }: { concurrency: () => number; capacity: () => number }) {
  // The order of the map is the order of the round: the first network is next, and goes to the end after its turn.
  const waiting = new Map<string, Entry[]>()
  const recent = recentCounts()
  let isQuietNext = false
  let running = 0

  return async function run<T>(client: HashClient, work: () => Promise<T>): Promise<T> {
    if (client.connection() === 'closed') throw new ClientGone()
    if (running < concurrency()) running += 1
    else await turnOf(client)
    recent.add(client.network)
    try {
      return await work()
    } finally {
      const next = takeNext()
      if (next) next.start()
      else running -= 1
    }
  }

  function turnOf(client: HashClient): Promise<void> {
    if (isFull()) dropClosed()
    if (isFull()) makeRoomFor(client.network)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const entries = waiting.get(client.network) ?? []
    entries.push({ client, start: resolve, reject })
    waiting.set(client.network, entries)
    return promise
  }

  function isFull(): boolean {
    return [...waiting.values()].reduce((length, entries) => length + entries.length, 0) >= capacity()
  }

  function takeNext(): Entry | undefined {
    dropClosed()
    isQuietNext = !isQuietNext
    const round = [...waiting]
    if (isQuietNext) round.sort(([one], [other]) => recent.of(one) - recent.of(other))
    return takeFirst(round, isOpen) ?? takeFirst(round, () => true)
  }

  /** The first such entry of the first network that has one. */
  function takeFirst(round: [string, Entry[]][], isWanted: (entry: Entry) => boolean): Entry | undefined {
    for (const [network, entries] of round) {
      const at = entries.findIndex(isWanted)
      if (at < 0) continue
      const [entry] = entries.splice(at, 1)
      waiting.delete(network)
      if (entries.length > 0) waiting.set(network, entries)
      return entry
    }
    return undefined
  }

  function dropClosed(): void {
    for (const entries of waiting.values()) {
      for (const entry of entries.filter(({ client }) => client.connection() === 'closed')) {
        drop(entry, new ClientGone())
      }
    }
  }

  /** Refuses one entry, or throws when the new one is the one to be refused. */
  function makeRoomFor(network: string): void {
    const all = [...waiting.values()]
    const halfClosed = all.flat().findLast((entry) => !isOpen(entry))
    const [busiest = []] = all.sort((one, other) => other.length - one.length)
    const ownLength = (waiting.get(network)?.length ?? 0) + 1
    const refused = halfClosed ?? (busiest.length > ownLength ? busiest.at(-1) : undefined)
    if (!refused) throw full()
    drop(refused, full())
  }

  function drop(entry: Entry, error: Error): void {
    const { network } = entry.client
    const entries = waiting.get(network) ?? []
    entries.splice(entries.indexOf(entry), 1)
    if (entries.length === 0) waiting.delete(network)
    entry.reject(error)
  }
}

/** How many entries of each network have started, in the last half minute at least and in the last minute at most. */
function recentCounts() {
  let [current, previous] = [new Map<string, number>(), new Map<string, number>()]
  let begunAt = performance.now()
  return {
    of: (network: string) => (current.get(network) ?? 0) + (previous.get(network) ?? 0),
    add(network: string) {
      if (performance.now() - begunAt > RECENT_MS) {
        previous = current
        current = new Map()
        begunAt = performance.now()
      }
      current.set(network, (current.get(network) ?? 0) + 1)
    },
  }
}

function isOpen({ client }: Entry): boolean {
  return client.connection() === 'open'
}

function full(): Refusal {
  return new Refusal(unavailable, { headers: { 'Retry-After': RETRY_AFTER_SECONDS } })
}
