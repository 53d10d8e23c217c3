/**
 * A text that is kept for long and read seldom, in UTF-8. Its bytes are outside the heap of JavaScript: V8 lets a heap
 * grow to several times of what is in use before it collects garbage.
 */
export class StoredText {
  /** In UTF-16 code units, as for a string. */
  readonly length: number
  readonly #bytes: Buffer

  /** The text must be well-formed (no lone surrogates), such as a decoded file. */
  constructor(text: string) {
    this.length = text.length
    this.#bytes = Buffer.from(text)
  }

  toString(): string {
    return this.#bytes.toString()
  }
}
