import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Rate } from '../../src/config/settings-reader.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import type { CountedRequest, Limits } from '../../src/http/rate-limit.ts'
import { Refusal } from '../../src/http/refusal.ts'
import { createLimits } from '../../src/limits/limits.ts'
import { register, removePassword, someone } from './accounts.ts'
import { type ApiResponse, assertRefused, type CallOptions, newEmail, post } from './api.ts'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import type { Service } from './service.ts'

/** Settings of a service with rate limits that trusts a proxy on this machine. */
export const LIMITED = { RATE_LIMITS: 'on', TRUSTED_PROXIES: '127.0.0.1' }
export const WRONG_PASSWORD = 'Wrong-Horse-7'

/** The headers of a call from this address through the trusted proxy. */
export const from = (address: string): CallOptions => ({ headers: { 'x-forwarded-for': address } })

let addresses = 0
/** An address in a /24 that no test has used yet. */
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

/** The response is a 429 of this limit (requests per seconds), with all headers that a client needs. */
export function assertLimited(response: ApiResponse, name: string, count: number, seconds: number): void {
  assertRefused(response, 429, 'Too many requests, please try again later')
  const retryAfter = response.headers.get('retry-after') ?? ''
  assert.match(retryAfter, /^[1-9]\d*$/)
  assert.ok(Number(retryAfter) <= seconds)
  const policies = response.headers.get('ratelimit-policy')?.split(', ') ?? []
  const states = response.headers.get('ratelimit')?.split(', ') ?? []
  const at = policies.indexOf(`"${name}";q=${count};w=${seconds}`)
  assert.ok(at >= 0, `${name} is not one of ${policies}`)
  assert.equal(states[at], `"${name}";r=0;t=${retryAfter}`)
  assert.equal(response.headers.get('cache-control'), 'no-store')
}

export interface LimitedInstance {
  limits: Limits
  /** The number of statements that the rate limits have sent. */
  statements: number
}

export const hashKey = (text: string) => createHash('sha256').update(text).digest('base64url')

/** A database that counts the prepared statements sent to it. */
export function countingDatabase(database: Database): Database & { statements: number } {
  const counted = {
    ...database,
    statements: 0,
    prepare: ((build, options) => {
      const run = database.prepare(build, options)
      return (...values) => {
        counted.statements += 1
        return run(...values)
      }
    }) as Database['prepare'],
  }
  return counted
}

/** A request that no limit has counted. */
export const uncounted = (): CountedRequest => ({ rateLimitPolicies: '', rateLimitStates: '' })

/** The rate limits of several instances on the database of a service, each with connections of its own. */
export async function limitedInstances(
  test: CleanedUp,
  { portico: { config, log } }: Service,
  count: number,
  api: Rate,
  timeoutMs = config.database.timeoutMs,
): Promise<LimitedInstance[]> {
  assert.ok(config.rateLimits)
  const rates = { ...config.rateLimits, api }
  return Promise.all(
    Array.from({ length: count }, async () => {
      const database = await openDatabase({ ...config.database, timeoutMs }, log)
      cleanUp(test, () => database.close())
      const counted = countingDatabase(database)
      return {
        limits: createLimits(rates, counted, hashKey, { otherProcesses: () => count - 1 }),
        get statements() {
          return counted.statements
        },
      }
    }),
  )
}

/** Whether a request was admitted. A status other than 429 is an error. */
export async function isAdmitted(take: () => unknown): Promise<boolean> {
  try {
    await take()
    return true
  } catch (error) {
    if (error instanceof Refusal && error.status === 429) return false
    throw error
  }
}

export type Kind = 'unknown' | 'unverified' | 'verified' | 'password-less'

/** An address of each kind that a response must not distinguish. */
export async function addressesOfEachKind(service: Service): Promise<Record<Kind, string>> {
  const { email: unverified } = await register(service)
  const { email: verified } = await someone(service)
  const { email: passwordless } = await someone(service)
  await removePassword(service, passwordless)
  return { unknown: newEmail(), unverified, verified, 'password-less': passwordless }
}
