/** A map whose values are made when they are first read. */
export class LazyMap<Source, Value> {
  readonly #sources: Map<string, Source>
  readonly #make: (source: Source) => Value
  readonly #made = new Map<string, Value>()

  constructor(sources: Map<string, Source>, make: (source: Source) => Value) {
    this.#sources = sources
    this.#make = make
  }

  get size(): number {
    return this.#sources.size
  }

  has(key: string): boolean {
    return this.#sources.has(key)
  }

  get(key: string): Value | undefined {
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const source = this.#sources.get(key)
    if (source === undefined) return undefined
    const made = this.#make(source)
    this.#made.set(key, made)
    return made
  }

  keys(): MapIterator<string> {
    return this.#sources.keys()
  }
}
