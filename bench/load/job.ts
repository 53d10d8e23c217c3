import { text } from 'node:stream/consumers'
import type { Request } from './connection.ts'

/** What a generator is asked for, as JSON on its standard input. */
export interface Job {
  url: string
  connections: number
  seconds: number
  requests: Request[]
  /** How many are sent in a second, whatever the answers take; without it, each answer is followed by the next request. */
  perSecond?: number
  /** For the refresher: how a session is refreshed. */
  refresh?: Refresh
}

export interface Refresh {
  /** Sent with the current value of a token in place of its name in angle brackets, as in `<refreshToken>`. */
  request: Request
  /** The tokens that the answers carry, by name: the way to each through the JSON of an answer, as in `data.token`. */
  tokens: Record<string, string>
}

export async function readJob(): Promise<Job> {
  return JSON.parse(await text(process.stdin))
}
