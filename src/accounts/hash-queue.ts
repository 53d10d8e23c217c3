import { ClientGone } from '../http/body.ts'
import { Refusal, unavailable } from '../http/refusal.ts'

/** For whom a password is hashed. */
export interface HashClient {
  /** The network that shares one turn in the queue: an IPv4 /24 or an IPv6 /48. */
  network: string
  /** Whether the connection is closed, so that nobody would read the response. */
  isGone(): boolean
}

const RETRY_AFTER_SECONDS = '2'

interface Entry {
  client: HashClient
  start(): void
  reject(error: Error): void
}

/**
 * A bounded queue that is fair to networks. Entries start in rounds, one entry of each network in a round: the entry of a
 * network with nothing else in the queue waits for one round at most, however many entries another network has.
 *
 * When the queue is full, the last entry of the network with the most entries is refused with 503. That is the new entry
 * itself when no other network would have more. Entries whose client is gone never start and never fill the queue.
 */
export function fairQueue({ concurrency, capacity }: { concurrency: () => number; capacity: () => number }) {
  // The order of the map is the order of the round: the first network is next, and goes to the end after its turn.
  const waiting = new Map<string, Entry[]>()
  let length = 0
  let running = 0

  return async function run<T>(client: HashClient, work: () => Promise<T>): Promise<T> {
    if (client.isGone()) throw new ClientGone()
    if (running < concurrency()) running += 1
    else await turnOf(client)
    try {
      return await work()
    } finally {
      const next = takeNext()
      if (next) next.start()
      else running -= 1
    }
  }

  function turnOf(client: HashClient): Promise<void> {
    if (length >= capacity()) dropGone()
    if (length >= capacity()) dropLastOfBusiest(client.network)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const entries = waiting.get(client.network) ?? []
    entries.push({ client, start: resolve, reject })
    waiting.set(client.network, entries)
    length += 1
    return promise
  }

  function takeNext(): Entry | undefined {
    for (const [network, entries] of waiting) {
      waiting.delete(network)
      const next = takeFirstPresent(entries)
      if (entries.length > 0) waiting.set(network, entries)
      if (next) return next
    }
    return undefined
  }

  function takeFirstPresent(entries: Entry[]): Entry | undefined {
    for (let entry = entries.shift(); entry; entry = entries.shift()) {
      length -= 1
      if (!entry.client.isGone()) return entry
      entry.reject(new ClientGone())
    }
    return undefined
  }

  function dropGone(): void {
    for (const [network, entries] of waiting) {
      const { gone = [], present = [] } = Object.groupBy(entries, ({ client }) =>
        client.isGone() ? 'gone' : 'present',
      )
      length -= gone.length
      for (const { reject } of gone) reject(new ClientGone())
      if (present.length === 0) waiting.delete(network)
      // An existing key keeps its place in the round.
      else waiting.set(network, present)
    }
  }

  /** Makes room for an entry of this network, or throws when its own network would have the most entries. */
  function dropLastOfBusiest(newcomer: string): void {
    const [busiest = []] = [...waiting.values()].sort((one, other) => other.length - one.length)
    const ownLength = (waiting.get(newcomer)?.length ?? 0) + 1
    if (busiest.length <= ownLength) throw full()
    length -= 1
    busiest.pop()?.reject(full())
  }
}

function full(): Refusal {
  return new Refusal(unavailable, { headers: { 'Retry-After': RETRY_AFTER_SECONDS } })
}
