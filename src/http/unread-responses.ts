import type { HttpResponse } from './http-response.ts'

// A smaller body is not counted: with the maximum number of connections, these take 80 MB. The kernel takes a body of
// this size at once, unless the client has not read an earlier response.
export const MIN_COUNTED_BYTES = 16 * 1024
const WARNING_INTERVAL_MS = 60_000

interface Options {
  /** For all counted bodies together. */
  maxBytes: number
  /** `connections` is the number of connections that were closed since the last warning. */
  warn(connections: number): void
}

/** A response whose client has not read it yet. */
interface Unread {
  response: HttpResponse
  /** The client. */
  address: string
  /** The content that it keeps in memory. */
  body: Body
}

/** A content, and the responses that keep it in memory. It is counted for the client of the first of them. */
interface Body {
  key: object
  bytes: number
  unread: Set<Unread>
}

/** The bodies that are counted for one address, in the order in which they were counted for it. */
interface Counted {
  bytes: number
  bodies: Set<Body>
}

/**
 * Bounds the memory of the responses that clients do not read. When all bodies exceed the limit, connections are
 * closed: of the address with the most bytes, the one with the oldest response. A Buffer that several responses share,
 * such as that of a prepared page, is counted once.
 */
export class UnreadResponses {
  readonly #options: Options
  readonly #bodies = new Map<object, Body>()
  readonly #byAddress = new Map<string, Counted>()
  #bytes = 0
  #closed = 0
  #lastWarningAt = Number.NEGATIVE_INFINITY

  constructor(options: Options) {
    this.#options = options
  }

  /** Counts a body until its response is written, or its connection is closed. */
  add(response: HttpResponse, address: string, content: unknown, bytes: number): void {
    const key = Buffer.isBuffer(content) ? content : response
    const body = this.#bodies.get(key) ?? { key, bytes, unread: new Set() }
    const unread = { response, address, body }
    body.unread.add(unread)
    if (body.unread.size === 1) {
      this.#bodies.set(key, body)
      this.#count(body, address)
    }
    response.once('close', () => this.#remove(unread))
    if (this.#bytes > this.#options.maxBytes) this.#closeConnections()
  }

  #count(body: Body, address: string): void {
    const counted = this.#byAddress.get(address) ?? { bytes: 0, bodies: new Set<Body>() }
    counted.bodies.add(body)
    counted.bytes += body.bytes
    this.#byAddress.set(address, counted)
    this.#bytes += body.bytes
  }

  #uncount(body: Body, address: string): void {
    const counted = this.#byAddress.get(address)
    if (!counted?.bodies.delete(body)) return
    counted.bytes -= body.bytes
    if (counted.bodies.size === 0) this.#byAddress.delete(address)
    this.#bytes -= body.bytes
  }

  #remove(unread: Unread): void {
    const { body, address } = unread
    const [first] = body.unread
    if (!body.unread.delete(unread) || first !== unread) return
    this.#uncount(body, address)
    const [next] = body.unread
    if (next) this.#count(body, next.address)
    else this.#bodies.delete(body.key)
  }

  #closeConnections(): void {
    while (this.#bytes > this.#options.maxBytes) {
      const [oldest] = this.#largest()?.bodies ?? []
      const [unread] = oldest?.unread ?? []
      if (!unread) break
      this.#remove(unread)
      unread.response.destroy()
      this.#closed += 1
    }
    this.#warn()
  }

  /** The address with the most bytes. */
  #largest(): Counted | undefined {
    let largest: Counted | undefined
    for (const counted of this.#byAddress.values()) {
      if (!largest || counted.bytes > largest.bytes) largest = counted
    }
    return largest
  }

  #warn(): void {
    const now = performance.now()
    if (now - this.#lastWarningAt < WARNING_INTERVAL_MS) return
    this.#options.warn(this.#closed)
    this.#closed = 0
    this.#lastWarningAt = now
  }
}
