import { type Representation, represent, type Validators } from '../http/representation.ts'
import { LruCache } from '../lib/lru-cache.ts'

/** The input of a response. */
export interface ResponseSource {
  type: string
  content: string | Buffer
  headers: Record<string, string>
}

// About 1,000 pages in HTML and in markdown. A site of more pages makes the responses of its rarely requested pages
// again.
const MAX_BYTES = 32 * 1024 * 1024
// The objects of a response beside its bodies.
const OVERHEAD_BYTES = 4096
// Pages are prepared ahead of their requests until this share of the cache is full.
const PREPARED_SHARE = 0.9

interface Prepared {
  representation: Representation
  /** Identifies the publication that the response was made for. */
  publication: object
  /** In bytes, at the last count. */
  size: number
}

/**
 * The prepared responses of the site, by path and variant. A response is made for one publication. For the next
 * publication it is made again, and its compressed bytes are used again if its content is the same.
 */
export class ResponseCache {
  readonly #prepared = new LruCache<string, Prepared>(MAX_BYTES, ({ size }) => size + OVERHEAD_BYTES)
  /** The validators of all responses, also of those that were dropped. */
  readonly #validators = new Map<string, Validators>()

  find(key: string, publication: object): Representation | undefined {
    const prepared = this.#prepared.get(key)
    if (prepared?.publication !== publication) return undefined
    const { representation, size } = prepared
    // A body was built since the last count: update the size in the LRU cache.
    if (representation.size !== size) this.#keep(key, publication, representation)
    return representation
  }

  #keep(key: string, publication: object, representation: Representation): void {
    this.#prepared.set(key, { representation, publication, size: representation.size })
  }

  async prepare(key: string, publication: object, { type, content, headers }: ResponseSource): Promise<Representation> {
    const previous = this.#prepared.get(key)?.representation ?? this.#validators.get(key)
    const representation = await represent(type, content, headers, previous)
    this.#keep(key, publication, representation)
    this.#validators.set(key, { hash: representation.hash, modified: representation.modified })
    return representation
  }

  /** Drops the responses at other keys. */
  keepOnly(isKept: (key: string) => boolean): void {
    for (const key of this.#validators.keys()) {
      if (isKept(key)) continue
      this.#validators.delete(key)
      this.#prepared.delete(key)
    }
  }

  get isFull(): boolean {
    return this.#prepared.size > PREPARED_SHARE * MAX_BYTES
  }
}

/** A response of one publication. It is made at its first request or ahead of it. */
export class LazyResponse {
  readonly key: string
  readonly #cache: ResponseCache
  readonly #publication: object
  readonly #make: () => ResponseSource | Promise<ResponseSource>
  #running: Promise<Representation> | undefined

  constructor(
    cache: ResponseCache,
    key: string,
    publication: object,
    make: () => ResponseSource | Promise<ResponseSource>,
  ) {
    this.#cache = cache
    this.key = key
    this.#publication = publication
    this.#make = make
  }

  get ready(): Representation | undefined {
    return this.#cache.find(this.key, this.#publication)
  }

  /** Concurrent callers share one run. */
  prepare(): Promise<Representation> {
    this.#running ??= this.#prepare().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #prepare(): Promise<Representation> {
    return this.ready ?? this.#cache.prepare(this.key, this.#publication, await this.#make())
  }
}
