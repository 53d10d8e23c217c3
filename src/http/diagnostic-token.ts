import { isSameText } from '../lib/same-text.ts'

/** A token proves that the sender of a request can read the database. `portico doctor` sends it. */
export interface DiagnosticTokens {
  /** A header value that is accepted for a minute. */
  issue(): string
  isValid(value: string): boolean
}

const LIFETIME_MS = 60_000

/** A token is a time and its MAC, so no token is stored. `now` is the clock of the database, which instances share. */
export function createDiagnosticTokens(hash: (text: string) => string, now: () => number): DiagnosticTokens {
  const macOf = (time: string) => hash(JSON.stringify(['doctor', time]))
  return {
    issue() {
      const time = String(now())
      return `${time}.${macOf(time)}`
    },
    isValid(value) {
      const [, time, mac] = /^(\d{13})\.([\w-]{43})$/.exec(value) ?? []
      if (time === undefined || mac === undefined) return false
      return isSameText(mac, macOf(time)) && Math.abs(now() - Number(time)) <= LIFETIME_MS
    },
  }
}
