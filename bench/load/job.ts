import { text } from 'node:stream/consumers'
import type { Request } from './connection.ts'

/** The job of a generator, as JSON on its standard input. */
export interface Job {
  url: string
  connections: number
  seconds: number
  requests: Request[]
  /**
   * Requests in a second, however long the responses take. Without it, each response is followed by the next request.
   */
  perSecond?: number
  /** For the refresher: how a session is refreshed. */
  refresh?: Refresh
  /** For the users of passkeys: the origin that their browser would show. */
  origin?: string
}

export interface Refresh {
  /** Sent with the current value of a token in place of its name in angle brackets, as in `<refreshToken>`. */
  request: Request
  /** The tokens in the responses, by name: the path of each in the JSON of a response, as in `data.token`. */
  tokens: Record<string, string>
}

export async function readJob(): Promise<Job> {
  return JSON.parse(await text(process.stdin))
}
