import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { someone, tryLogIn } from './accounts.ts'
import { type ApiResponse, assertSucceeded, type CallOptions, get, type Person, post } from './api.ts'
import type { Service } from './service.ts'

const STEP_MS = 30_000

/** A person whose sign-ins need a second factor. */
export interface Protected extends Person {
  /** The secret in the authenticator app, in base 32. */
  secret: string
  recoveryCodes: string[]
}

/** What an authenticator app shows now, or some steps of 30 seconds later. An independent implementation computes it. */
export function appCode(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * STEP_MS })
}

/** Six digits that are the code of no step near the present. */
export function wrongAppCode(secret: string): string {
  const near = new Set([-3, -2, -1, 0, 1, 2, 3].map((steps) => appCode(secret, steps)))
  for (let number = 0; ; number++) {
    const code = String(number).padStart(6, '0')
    if (!near.has(code)) return code
  }
}

/** Adds an authenticator app to an account, and turns two-step sign-in on with it. */
export async function addApp(service: Service, person: Person): Promise<Protected> {
  const begun = await post(service, '/api/authenticator-app', undefined, { as: person })
  assertSucceeded(begun)
  const { secret } = begun.body.data
  const confirmed = await post(service, '/api/authenticator-app/confirm', { code: appCode(secret) }, { as: person })
  assertSucceeded(confirmed)
  await allowUsedSteps(service, person)
  return { ...person, secret, recoveryCodes: confirmed.body.data.recoveryCodes }
}

/** A signed-in person with two-step sign-in. */
export async function someoneProtected(service: Service): Promise<Protected> {
  return addApp(service, await someone(service))
}

/** Lets the app's current code be accepted again, which saves waiting for the next one. */
export async function allowUsedSteps({ portico }: Service, { userId }: { userId: string }): Promise<void> {
  await portico.database.query
    .updateTable('authenticator_apps')
    .set({ last_step: 0 })
    .where('user_id', '=', userId)
    .execute()
}

/** Logs in with the password, and returns the challenge of the second step. */
export async function passFirstStep(
  service: { url: string },
  { email, password }: Pick<Person, 'email' | 'password'>,
  options?: CallOptions,
): Promise<string> {
  return challengeOf(await tryLogIn(service, email, password, options))
}

/** The challenge of a response that asks for the second factor. */
export function challengeOf(response: ApiResponse): string {
  assertAsksForSecondFactor(response)
  return response.body.data.challenge
}

export function assertAsksForSecondFactor({ status, body, headers }: ApiResponse, means?: string[]): void {
  assert.equal(status, 403, JSON.stringify(body))
  assert.equal(body.success, false)
  assert.equal(body.code, 'second_factor_required')
  assert.deepEqual(Object.keys(body.data).sort(), ['challenge', 'expiresAt', 'means'])
  assert.match(body.data.challenge, /^[\w-]{43}$/)
  const left = Date.parse(body.data.expiresAt) - Date.now()
  assert.ok(left > 8 * 60_000 && left <= 10 * 60_000 + 5000, body.data.expiresAt)
  if (means) assert.deepEqual(body.data.means, means)
  assert.ok(!/accessToken|refreshToken|sessionId/.test(JSON.stringify(body)))
  assert.deepEqual(headers.getSetCookie(), [])
}

/** The second step of a log-in. */
export const passSecondStep = (
  service: { url: string },
  challenge: string,
  proof: { code?: string; recoveryCode?: string; rememberBrowser?: boolean },
  options?: CallOptions,
): Promise<ApiResponse> => post(service, '/api/log-in/second-factor', { challenge, ...proof }, options)

/** The state of two-step sign-in that the API shows to its account. */
export async function stateOf(service: { url: string }, as: Person) {
  const response = await get(service, '/api/second-factor', { as })
  assertSucceeded(response)
  return response.body.data
}
