import assert from 'node:assert/strict'
import { type Answer, type CallOptions, post } from './api.ts'
import { assertRefused } from './envelope.ts'

/** Settings of a service that limits, and that believes what a proxy on this machine says of its callers. */
export const LIMITED = { RATE_LIMITS: 'on', TRUSTED_PROXIES: '127.0.0.1' }
export const WRONG_PASSWORD = 'Wrong-Horse-7'

/** As if the call came from this address, through the trusted proxy. */
export const from = (address: string): CallOptions => ({ headers: { 'x-forwarded-for': address } })

let addresses = 0
/** An address in a /24 that nobody has called from yet. */
export function newAddress(): string {
  addresses += 1
  return `100.${64 + (addresses >> 8)}.${addresses & 255}.1`
}

export const failLogIn = (service: { url: string }, email: string, options?: CallOptions) =>
  post(service, '/api/log-in', { email, password: WRONG_PASSWORD }, options)

export async function times<T>(count: number, run: (number: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let number = 0; number < count; number++) results.push(await run(number))
  return results
}

/** Refused because of this limit, which lets so many through in so many seconds, with all that a client needs to know. */
export function assertLimited(answer: Answer, name: string, count: number, seconds: number): void {
  assertRefused(answer, 429, 'Too many requests, please try again later')
  const retryAfter = answer.headers.get('retry-after') ?? ''
  assert.match(retryAfter, /^[1-9]\d*$/)
  assert.ok(Number(retryAfter) <= seconds)
  assert.equal(answer.headers.get('ratelimit-policy'), `"${name}";q=${count};w=${seconds}`)
  assert.equal(answer.headers.get('ratelimit'), `"${name}";r=0;t=${retryAfter}`)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
}
