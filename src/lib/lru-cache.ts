/**
 * A cache that drops its least recently used entries when the sizes of all of them exceed `maxSize`. An entry larger
 * than that is not kept.
 */
export class LruCache<Key, Value> {
  readonly #maxSize: number
  readonly #sizeOf: (value: Value) => number
  /** A Map iterates in the order of insertion, so the first entry is the least recently used one. */
  readonly #entries = new Map<Key, { value: Value; size: number }>()
  #size = 0

  constructor(maxSize: number, sizeOf: (value: Value) => number) {
    this.#maxSize = maxSize
    this.#sizeOf = sizeOf
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: Key, value: Value): void {
    this.delete(key)
    const size = this.#sizeOf(value)
    if (size > this.#maxSize) return
    this.#entries.set(key, { value, size })
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#maxSize) return
      this.delete(oldest)
    }
  }

  delete(key: Key): void {
    this.#size -= this.#entries.get(key)?.size ?? 0
    this.#entries.delete(key)
  }

  keys(): Iterable<Key> {
    return this.#entries.keys()
  }

  get size(): number {
    return this.#size
  }
}
