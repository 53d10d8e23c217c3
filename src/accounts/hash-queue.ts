import { ClientGone } from '../http/client-gone.ts'
import { Refusal, unavailable } from '../http/refusal.ts'

/** The client that a password is hashed for. */
export interface HashClient {
  /** The network that the queue schedules the client by: an IPv4 /24 or an IPv6 /48. */
  network: string
  connection(): ConnectionState
}

/**
 * `half-closed`: the client has closed its sending side (its TCP FIN has arrived). Only a write to the connection would
 * show whether the client still reads. `closed`: the socket is destroyed, so no response can be sent.
 */
export type ConnectionState = 'open' | 'half-closed' | 'closed'

const RETRY_AFTER_SECONDS = '2'
const COUNT_WINDOW_MS = 30_000

interface Entry {
  client: HashClient
  start(): void
  reject(error: Error): void
}

/**
 * A bounded queue with a concurrency limit that is fair to networks.
 *
 * Order: the queue alternates between two rules. The first starts an entry of the network with the fewest recent
 * starts, so a client that rarely logs in does not wait behind a network that sends many log-ins. The second is a round
 * robin over the networks, so every network makes progress, however many new networks arrive.
 *
 * Overflow: when the queue is full, the last entry of the network with the most entries is refused with 503. When no
 * other network has more entries than the network of the new entry would have, the new entry is refused.
 *
 * Disconnected clients: an entry whose connection is closed never starts, and is removed before the queue counts as
 * full. An entry whose connection is half-closed starts only when no other entry waits, and is the first to be refused.
 */
export function createFairQueue({ concurrency, capacity }: { concurrency: () => number; capacity: () => number }) {
  // The order of the map is the order of the round robin. A network moves to the end when one of its entries starts.
  const waiting = new Map<string, Entry[]>()
  const recentStarts = countRecentStarts()
  let isFewestStartsNext = false
  let running = 0

  return { run, length }

  async function run<T>(client: HashClient, work: () => Promise<T>): Promise<T> {
    if (client.connection() === 'closed') throw new ClientGone()
    if (running < concurrency()) running += 1
    else await waitInQueue(client)
    recentStarts.add(client.network)
    try {
      return await work()
    } finally {
      const next = takeNext()
      if (next) next.start()
      else running -= 1
    }
  }

  function waitInQueue(client: HashClient): Promise<void> {
    if (isFull()) dropClosed()
    if (isFull()) makeRoomFor(client.network)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const entries = waiting.get(client.network) ?? []
    entries.push({ client, start: resolve, reject })
    waiting.set(client.network, entries)
    return promise
  }

  /** The number of entries that wait. */
  function length(): number {
    return waiting.values().reduce((sum, entries) => sum + entries.length, 0)
  }

  function isFull(): boolean {
    return length() >= capacity()
  }

  function takeNext(): Entry | undefined {
    dropClosed()
    isFewestStartsNext = !isFewestStartsNext
    const networks = [...waiting]
    if (isFewestStartsNext) networks.sort(([one], [other]) => recentStarts.of(one) - recentStarts.of(other))
    return takeFirst(networks, isOpen) ?? takeFirst(networks, () => true)
  }

  /** Removes and returns the first matching entry of the first network that has one. */
  function takeFirst(networks: [string, Entry[]][], matches: (entry: Entry) => boolean): Entry | undefined {
    for (const [network, entries] of networks) {
      const index = entries.findIndex(matches)
      if (index < 0) continue
      const [entry] = entries.splice(index, 1)
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

  /** Refuses one entry of the queue, or throws when the new entry of this network is the one to refuse. */
  function makeRoomFor(network: string): void {
    const all = [...waiting.values()]
    const halfClosed = all.flat().findLast((entry) => !isOpen(entry))
    const [busiest = []] = all.sort((one, other) => other.length - one.length)
    const ownLength = (waiting.get(network)?.length ?? 0) + 1
    const refused = halfClosed ?? (busiest.length > ownLength ? busiest.at(-1) : undefined)
    if (!refused) throw queueFull()
    drop(refused, queueFull())
  }

  function drop(entry: Entry, error: Error): void {
    const { network } = entry.client
    const entries = waiting.get(network) ?? []
    entries.splice(entries.indexOf(entry), 1)
    if (entries.length === 0) waiting.delete(network)
    entry.reject(error)
  }
}

/**
 * Counts the started entries of each network in the current window of time and the one before it. A window ends with
 * the first start after COUNT_WINDOW_MS.
 */
function countRecentStarts() {
  let [current, previous] = [new Map<string, number>(), new Map<string, number>()]
  let windowStartedAtMs = performance.now()
  return {
    of: (network: string) => (current.get(network) ?? 0) + (previous.get(network) ?? 0),
    add(network: string) {
      if (performance.now() - windowStartedAtMs > COUNT_WINDOW_MS) {
        previous = current
        current = new Map()
        windowStartedAtMs = performance.now()
      }
      current.set(network, (current.get(network) ?? 0) + 1)
    },
  }
}

function isOpen({ client }: Entry): boolean {
  return client.connection() === 'open'
}

function queueFull(): Refusal {
  return new Refusal(unavailable, { headers: { 'Retry-After': RETRY_AFTER_SECONDS } })
}
