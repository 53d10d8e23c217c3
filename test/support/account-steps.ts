import assert from 'node:assert/strict'
import { type Answer, type CallOptions, codeFor, get, type Person, post, registration } from './api.ts'
import { assertRefused, assertSucceeded } from './envelope.ts'
import type { Service } from './service.ts'

export const NEW_PASSWORD = 'Brand-New-Horse-8'

/** An account that is not verified yet, and the code it was mailed. */
export async function register(service: Service, overrides: Record<string, unknown> = {}) {
  const body = registration(overrides)
  const answer = await post(service, '/api/create-account', body)
  assertSucceeded(answer, 201)
  const { userId, email }: { userId: string; email: string } = answer.body.data
  return { ...body, userId, email, code: await codeFor(service, email) }
}

export const verify = (service: Service, email: string, verificationCode: string, options?: CallOptions) =>
  post(service, '/api/email-verification', { email, verificationCode }, options)

/** Asks for another verification code and reads it from the mail. */
export async function newVerificationCode(service: Service, email: string): Promise<string> {
  assertSucceeded(await post(service, '/api/email-verification/resend', { email }))
  return codeFor(service, email)
}

/** Asks for a reset code and reads it from the mail. */
export async function newResetCode(service: Service, email: string): Promise<string> {
  assertSucceeded(await post(service, '/api/forgot-password', { email }))
  return codeFor(service, email)
}

export const reset = (service: Service, email: string, resetToken: string, password = NEW_PASSWORD) =>
  post(service, '/api/reset-password', { email, resetToken, password, confirmPassword: password })

export const tryLogIn = (service: { url: string }, email: string, password: string, options?: CallOptions) =>
  post(service, '/api/log-in', { email, password }, options)

/** A code of the right form that is surely wrong. */
export function otherThan(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0')
}

/** Makes the account one that has only ever signed in through a provider. */
export async function removePassword({ portico }: Service, email: string): Promise<void> {
  await portico.database.query.updateTable('users').set({ password_hash: null }).where('email', '=', email).execute()
}

export async function assertAlive(service: Service, person: Person): Promise<void> {
  assertSucceeded(await get(service, '/api/user-details', { as: person }))
}

/** Neither token of the session is worth anything any more. */
export async function assertEnded(service: Service, person: Person): Promise<void> {
  assertRefused(await get(service, '/api/user-details', { as: person }), 401)
  assertRefused(await tryRefresh(service, person), 401, 'Invalid or expired refresh token')
}

export const tryRefresh = (service: Service, { refreshToken, sessionId }: Person) =>
  post(service, '/api/auth/refresh-token', { refreshToken }, { headers: { 'x-session-id': sessionId } })

/** How many sessions an account ever began. */
export async function countSessions({ portico: { database } }: Service, userId: string): Promise<number> {
  const rows = await database.query.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()
  return rows.length
}

// What differs between any two answers.
const OF_THE_MOMENT = ['date', 'x-request-id']

/** Nobody can tell the answers apart: status, headers and body say the same, each with the address that was asked for. */
export function assertAlike(...asked: { email: string; answer: Answer }[]): void {
  const [first, ...others] = asked.map(({ email, answer: { status, headers, body } }) => ({
    status,
    headers: [...headers].filter(([name]) => !OF_THE_MOMENT.includes(name)),
    body: JSON.parse(JSON.stringify({ ...body, timestamp: '', requestId: '' }).replaceAll(email, 'EMAIL')),
  }))
  for (const other of others) assert.deepEqual(other, first)
}
