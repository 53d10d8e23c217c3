import type { Request } from './request.ts'

/** A cookie of ours: unreadable to scripts, never sent along by other sites' requests, and on https locked to this host. */
export class Cookie {
  readonly #name: string
  readonly #attributes: string
  readonly #seconds: number

  constructor(name: string, { seconds, https }: { seconds: number; https: boolean }) {
    this.#name = https ? `__Host-${name}` : name
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`
    this.#seconds = seconds
  }

  read({ headers }: Request): string | undefined {
    for (const pair of headers.cookie?.split(';') ?? []) {
      // Only these are no part of a name: other white space could make a name of another site's making pass for ours.
      const [name, value] = pair.replace(/^[ \t]+|[ \t]+$/g, '').split('=', 2)
      if (name === this.#name) return value
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
