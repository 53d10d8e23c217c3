import type { Request } from './request.ts'

/**
 * A cookie of ours: unreadable to scripts, never sent along by other sites' requests, and on https locked to this host.
 */
export class Cookie {
  readonly #name: string
  readonly #attributes: string
  readonly #seconds: number

  constructor(name: string, { seconds, https }: { seconds: number; https: boolean }) {
    this.#name = https ? `__Host-${name}` : name
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`
    this.#seconds = seconds
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

  set(value: string, seconds = this.#seconds): string {
    return `${this.#name}=${value}; Max-Age=${seconds}; ${this.#attributes}`
  }

  clear(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`
  }
}

// Space and tab are the only white space around a cookie. With any other, a name set by another site could pass for
// ours.
const isBlank = (character: string | undefined) => character === ' ' || character === '\t'

/** The index of the first character from `start` on that is no blank. */
function afterBlanks(text: string, start: number, end: number): number {
  let index = start
  while (index < end && isBlank(text[index])) index++
  return index
}

/** The index behind the last character before `end` that is no blank. */
function beforeBlanks(text: string, start: number, end: number): number {
  let index = end
  while (index > start && isBlank(text[index - 1])) index--
  return index
}
