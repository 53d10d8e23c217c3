import type { Request } from './request.ts'

/**
 * A cookie that scripts cannot read (HttpOnly) and that cross-site requests do not carry, except top-level navigations
 * (SameSite=Lax). On https it is Secure and has the prefix `__Host-`, which binds it to this host (RFC 6265bis, section
 * 4.1.3.2).
 */
export class Cookie {
  readonly #name: string
  readonly #attributes: string
  readonly #maxAgeSeconds: number

  constructor(name: string, { seconds, https }: { seconds: number; https: boolean }) {
    this.#name = https ? `__Host-${name}` : name
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`
    this.#maxAgeSeconds = seconds
  }

  /** The value of the first cookie of this name, found in one pass over the header (RFC 6265, section 5.4). */
  read({ headers: { cookie: header } }: Request): string | undefined {
    if (header === undefined) return undefined
    let start = 0
    while (start < header.length) {
      const semicolon = header.indexOf(';', start)
      const end = semicolon < 0 ? header.length : semicolon
      const name = afterBlanks(header, start, end)
      const value = name + this.#name.length + 1
      if (header.startsWith(this.#name, name) && header[value - 1] === '=') {
        return header.slice(value, beforeBlanks(header, value, end))
      }
      start = end + 1
    }
    return undefined
  }

  set(value: string, seconds = this.#maxAgeSeconds): string {
    return `${this.#name}=${value}; Max-Age=${seconds}; ${this.#attributes}`
  }

  clear(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`
  }
}

// RFC 6265, section 5.2: only space and tab are trimmed. Trimming other white space would let a cookie that another
// host has set under a different name be read as this one.
const isBlank = (character: string | undefined) => character === ' ' || character === '\t'

/** The index of the first character at or after `start` that is not a space or tab. */
function afterBlanks(text: string, start: number, end: number): number {
  let index = start
  while (index < end && isBlank(text[index])) index++
  return index
}

/** The index after the last character before `end` that is not a space or tab. */
function beforeBlanks(text: string, start: number, end: number): number {
  let index = end
  while (index > start && isBlank(text[index - 1])) index--
  return index
}
