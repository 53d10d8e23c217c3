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
}

export async function readJob(): Promise<Job> {
  return JSON.parse(await text(process.stdin))
}
