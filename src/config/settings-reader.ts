import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { ConfigError } from './config-error.ts'
import type { SecretSetting } from './setting-descriptions.ts'

/** A number of hits per fixed window. */
export interface Rate {
  count: number
  seconds: number
}

/** RFC 3986, section 3.2: these characters end the user information or the host, or begin an encoded one. */
export const INVALID_URL =
  'must be a valid URL: check its host and port, and in a password write % as %25, / as %2F, # as %23, ? as %3F, @ as %40'

/** Reads settings by name and collects their faults. An empty value counts as unset. */
export class SettingsReader {
  readonly #env: NodeJS.Dict<string>
  readonly #names = new Set<string>()
  readonly #secretNames = new Set<string>()
  readonly #secretFiles: string[] = []
  readonly #faults: string[] = []

  constructor(env: NodeJS.Dict<string>) {
    this.#env = env
  }

  /** All names that were read: the list of known settings. */
  get names(): string[] {
    return [...this.#names]
  }

  /** The names of settings whose values may contain a secret. */
  get secretNames(): string[] {
    return [...this.#secretNames]
  }

  /** The files that settings such as DATABASE_URL_FILE name. */
  get secretFiles(): string[] {
    return this.#secretFiles
  }

  #value(name: string): string | undefined {
    this.#names.add(name)
    return this.#env[name]?.trim() || undefined
  }

  text(name: string, fallback: string): string {
    return this.#value(name) ?? fallback
  }

  isSet(name: string): boolean {
    return this.#value(name) !== undefined
  }

  /** A value from NAME, or from the file that NAME_FILE names, as container secrets are provided. */
  secret(name: SecretSetting): string | undefined {
    const value = this.#value(name)
    const file = this.#value(`${name}_FILE`)
    this.#secretNames.add(name)
    if (!file) return value
    this.#secretFiles.push(file)
    if (value) this.fault(name, `is set, and ${name}_FILE too: keep one of them`)
    try {
      return readFileSync(file, 'utf8').trim() || undefined
    } catch {
      this.fault(`${name}_FILE`, `names a file that cannot be read: ${file}`)
      return undefined
    }
  }

  port(name: string, fallback: number): number {
    const value = this.text(name, String(fallback))
    const port = Number(value)
    if (/^\d+$/.test(value) && port <= 65535) return port
    this.fault(name, `must be a port number from 0 to 65535, not "${value}"`)
    return fallback
  }

  /** A number of processes, or `auto` for one per core. */
  workers(name: string): number {
    const value = this.text(name, '1')
    if (value === 'auto') return availableParallelism()
    if (/^[1-9]\d?$/.test(value)) return Number(value)
    this.fault(name, `must be a number from 1 to 99, or auto for one on each core, not "${value}"`)
    return 1
  }

  /** A whole number of seconds from 0 to `max`. */
  seconds(name: string, fallback: number, max: number): number {
    const value = this.text(name, String(fallback))
    if (/^\d{1,9}$/.test(value) && Number(value) <= max) return Number(value)
    this.fault(name, `must be a number of seconds from 0 to ${max}, not "${value}"`)
    return fallback
  }

  oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): T {
    const value = this.text(name, fallback)
    if ((values as readonly string[]).includes(value)) return value as T
    this.fault(name, `must be one of ${values.join(', ')}, not "${value}"`)
    return fallback
  }

  url(name: string, protocols: string[], fallback: string): string {
    const value = this.text(name, fallback)
    return this.#isUrl(name, value, protocols) ? value : fallback
  }

  /** An optional URL that may contain a password: it may come from a file, and fault messages do not contain it. */
  optionalUrl(name: SecretSetting, protocols: string[]): string | undefined {
    const value = this.secret(name)
    return value && this.#isUrl(name, value, protocols) ? value : undefined
  }

  #isUrl(name: string, value: string, protocols: string[]): boolean {
    if (!protocols.some((protocol) => value.toLowerCase().startsWith(`${protocol}//`))) {
      this.fault(name, `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
      return false
    }
    if (URL.canParse(value)) return true
    this.fault(name, INVALID_URL)
    return false
  }

  /** An optional key of 256 bits in base64url. */
  key(name: SecretSetting): Buffer | undefined {
    const value = this.secret(name)
    if (value === undefined) return undefined
    if (!/^[\w-]{43}=?$/.test(value)) {
      this.fault(name, 'must have 32 bytes in base64url; `openssl rand -base64 32 | tr +/ -_` makes a key')
    }
    return Buffer.from(value, 'base64url')
  }

  /** An optional secret that clients send as a bearer token (RFC 6750, section 2.1). */
  token(name: SecretSetting): string | undefined {
    const value = this.secret(name)
    if (value === undefined || /^[\w.~+/-]{16,}=*$/.test(value)) return value
    this.fault(name, 'must have at least 16 letters, digits and -._~+/; `openssl rand -hex 32` makes one')
    return undefined
  }

  list(name: string): string[] | undefined {
    const items = this.text(name, '')
      .split(/[\s,]+/)
      .filter(Boolean)
    return items.length > 0 ? items : undefined
  }

  hosts(name: string): string[] | undefined {
    const items = this.list(name)?.map((item) => item.toLowerCase())
    for (const item of items ?? []) {
      if (URL.parse(`https://${item}`)?.hostname !== item) {
        this.fault(name, `must list host names such as images.example.com, not "${item}"`)
      }
    }
    return items
  }

  /** The sender of mails: an address, or a name and an address in angle brackets (RFC 5322, section 3.4). */
  sender(name: string, fallback: string): { name: string | undefined; address: string } {
    const value = this.text(name, fallback)
    const [, named, inBrackets, bare] =
      /^(?:([^<>@\p{Cc}]*)<([^\s<>@]+@[^\s<>@]+)>|([^\s<>@]+@[^\s<>@]+))$/u.exec(value) ?? []
    const address = inBrackets ?? bare
    if (address) return { name: unquoted(named?.trim() ?? '') || undefined, address }
    this.fault(name, 'must be an address such as Site <no-reply@example.com>')
    return { name: undefined, address: fallback }
  }

  /** An optional e-mail address, in lower case as accounts store it. */
  email(name: string): string | undefined {
    const value = this.#value(name)
    if (value === undefined || /^[^\s<>@]{1,64}@[^\s<>@]{1,190}$/.test(value)) return value?.toLowerCase()
    this.fault(name, 'must be an e-mail address such as me@example.com')
    return undefined
  }

  /** A display name: one line of at most 40 characters. */
  name(name: string): string | undefined {
    const value = this.#value(name)
    if (value === undefined || /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]{1,40}$/u.test(value))
      return value
    this.fault(
      name,
      'must have at most 40 characters, in one line and without control characters, such as Example Login',
    )
    return undefined
  }

  /** Contacts for security.txt (RFC 9116, section 2.5.3): e-mail addresses or URIs. Returns URIs. */
  contacts(name: string): string[] {
    return (this.list(name) ?? []).map((item) => {
      const uri = /^[^\s:/@]+@[^\s:/@]+$/.test(item) ? `mailto:${item}` : item
      if (!/^(mailto:[^@]+@[^@]+|https:\/\/.+|tel:\+.+)$/.test(uri) || !URL.canParse(uri)) {
        this.fault(
          name,
          `must list addresses such as security@example.com or https://example.com/report, not "${item}"`,
        )
      }
      return uri
    })
  }

  origins(name: string): string[] {
    const items = this.list(name) ?? []
    for (const item of items) {
      if (URL.parse(item)?.origin !== item || item.includes('*')) {
        this.fault(name, `must list origins such as https://app.example.com, not "${item}"`)
      }
    }
    return items
  }

  addresses(name: string): string[] {
    const items = this.list(name) ?? []
    for (const item of items) {
      const [address = '', bits, ...rest] = item.split('/')
      const maxBits = isIP(address) === 6 ? 128 : 32
      const isValidRange = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= maxBits)
      if (!isIP(address) || !isValidRange || rest.length > 0) {
        this.fault(name, `must list IP addresses or ranges such as 10.0.0.0/8, not "${item}"`)
      }
    }
    return items
  }

  /** "5/1m": five in one minute. */
  rate(name: string, fallback: string): Rate {
    const value = this.text(name, fallback)
    const [, count, length, unit] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})([smh])$/.exec(value) ?? []
    if (!count || !length) {
      this.fault(name, `must be a count and a time such as 5/1m or 100/30s, not "${value}"`)
      return { count: 1, seconds: 1 }
    }
    return {
      count: Number(count),
      seconds: Number(length) * { s: 1, m: 60, h: 3600 }[unit as 's' | 'm' | 'h'],
    }
  }

  /** "180d": 180 days, in milliseconds. */
  duration(name: string, fallback: string): number {
    const value = this.text(name, fallback)
    const [, length, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(value) ?? []
    if (!length) this.fault(name, `must be a time such as 180d, 12h or 30m, not "${value}"`)
    return Number(length) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'm' | 'h' | 'd']
  }

  fault(name: string, problem: string): void {
    this.#faults.push(`${name} ${problem}`)
  }

  hasFault(name: string): boolean {
    return this.#faults.some((fault) => fault.startsWith(`${name} `))
  }

  /** Throws when there are faults. The error includes the warnings: a misspelt name may explain a missing setting. */
  throwFaults(warnings: string[]): void {
    if (this.#faults.length > 0) throw new ConfigError(this.#faults, warnings)
  }
}

/** Removes the quotes around a display name that is a quoted-string (RFC 5322, section 3.2.4). */
function unquoted(name: string): string {
  return name.length > 1 && name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name
}
