import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { StoredMail } from '../../src/mail/mailbox.ts'
import { ERROR_CODES, FIELD_ERROR_CODES } from './error-codes.ts'
import type { Service } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: a response may be any JSON; the assertions check it.
type Json = any

export interface ApiResponse {
  status: number
  headers: Headers
  body: Json
}

export interface Credentials {
  accessToken: string
  sessionId: string
}

export interface CallOptions {
  as?: Credentials | undefined
  headers?: Record<string, string>
  /** With `manual`, the response is the redirect itself. */
  redirect?: 'follow' | 'manual'
}

/** One call over HTTP. A string or Buffer body is sent unchanged, any other body as JSON. */
export async function call(
  { url }: { url: string },
  method: string,
  path: string,
  body?: unknown,
  { as, headers = {}, redirect = 'follow' }: CallOptions = {},
): Promise<ApiResponse> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url + path, {
    method,
    redirect,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(as && { authorization: `Bearer ${as.accessToken}`, 'x-session-id': as.sessionId }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = method !== 'HEAD' && response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

export const post = (service: { url: string }, path: string, body?: unknown, options?: CallOptions) =>
  call(service, 'POST', path, body, options)
export const get = (service: { url: string }, path: string, options?: CallOptions) =>
  call(service, 'GET', path, undefined, options)
export const del = (service: { url: string }, path: string, body?: unknown, options?: CallOptions) =>
  call(service, 'DELETE', path, body, options)

export const PASSWORD = 'Correct-Horse-7'

export function newEmail(): string {
  return `person-${randomUUID().slice(0, 8)}@example.com`
}

export function registration(overrides: Record<string, unknown> = {}) {
  return {
    firstName: 'Grace',
    lastName: 'Hopper',
    email: newEmail(),
    password: PASSWORD,
    confirmPassword: PASSWORD,
    ...overrides,
  }
}

/** Every mail to an address, newest first, after everything in the outbox has been delivered. */
export async function mailsTo({ portico }: Service, email: string): Promise<StoredMail[]> {
  await portico.deliveryWorker.idle()
  return portico.mailbox?.list(email) ?? []
}

/** The subjects of the mails to an address, without the title of the site. */
export async function subjectsTo(service: Service, email: string): Promise<string[]> {
  return (await mailsTo(service, email)).map(({ subject }) => subject.replace(' - Portico', '')).sort()
}

/** The newest code that was mailed to an address. A notice of the same time may be delivered after it. */
export async function codeFor(service: Service, email: string): Promise<string> {
  const mails = await mailsTo(service, email)
  const code = mails.map(({ text }) => /^ {4}(\d{6})$/m.exec(text)?.[1]).find(Boolean)
  if (!code) throw new Error(`no code was mailed to ${email}`)
  return code
}

/** The newest link with a token that was mailed to an address: its path with the query, and the token in it. */
export async function linkFor(service: Service, email: string): Promise<{ path: string; token: string }> {
  const mails = await mailsTo(service, email)
  const link = mails
    .map(({ text }) => URL.parse(/^.*: (http\S+)$/m.exec(text)?.[1] ?? ''))
    .find((address) => address?.searchParams.has('token'))
  const token = link?.searchParams.get('token')
  if (!link || !token) throw new Error(`no link was mailed to ${email}`)
  return { path: link.pathname + link.search, token }
}

export interface Person extends Credentials {
  email: string
  password: string
  userId: string
  refreshToken: string
}

/** A registered and verified person, signed in with the session that verification began. */
export async function signUp(service: Service, overrides: Record<string, unknown> = {}, options: CallOptions = {}) {
  const body = registration(overrides)
  const created = await post(service, '/api/create-account', body, options)
  if (created.status !== 201) throw new Error(`sign-up failed: ${JSON.stringify(created.body)}`)
  const email: string = created.body.data.email
  const verificationCode = await codeFor(service, email)
  const { body: verified } = await post(service, '/api/email-verification', { email, verificationCode }, options)
  return personOf(verified, body.password as string)
}

/** Another session of a person. */
export async function logIn(
  service: { url: string },
  person: Pick<Person, 'email' | 'password'>,
  options: CallOptions = {},
) {
  const { email, password } = person
  const response = await post(service, '/api/log-in', { email, password }, options)
  if (response.status !== 200) throw new Error(`log-in failed: ${JSON.stringify(response.body)}`)
  return personOf(response.body, password)
}

function personOf({ data }: Json, password: string): Person {
  return {
    email: data.user.email,
    password,
    userId: data.user.userId,
    accessToken: data.accessToken,
    refreshToken: data.refreshToken,
    sessionId: data.session.sessionId,
  }
}

/** The types of the events in the user's timeline, newest first. */
export async function eventTypes(service: { url: string }, as: Credentials): Promise<string[]> {
  const { body } = await get(service, '/api/security-events?limit=100', { as })
  return body.data.events.map(({ type }: { type: string }) => type)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function assertSucceeded(response: ApiResponse, status = 200): void {
  assert.equal(response.status, status, JSON.stringify(response.body))
  assert.equal(response.body.success, true)
  assert.ok(!('errors' in response.body))
  assertEnvelope(response)
}

/** The codes of the errors that have data. */
const REFUSALS_WITH_DATA = ['reauthentication_required', 'second_factor_required', 'account_suspended']

export function assertRefused(response: ApiResponse, status: number, message?: string): void {
  assert.equal(response.status, status, JSON.stringify(response.body))
  assert.equal(response.body.success, false)
  assert.equal('data' in response.body, REFUSALS_WITH_DATA.includes(response.body.code))
  if (message !== undefined) assert.equal(response.body.message, message)
  assert.deepEqual(ERROR_CODES[response.body.code], [status, response.body.message], response.body.code)
  for (const { code } of response.body.errors ?? []) assert.ok(FIELD_ERROR_CODES.includes(code), code)
  assertEnvelope(response)
}

/** The fields that every response of the account API has, whichever layer created it. */
function assertEnvelope({ body, headers }: ApiResponse): void {
  assert.equal(typeof body.message, 'string')
  assert.match(body.requestId, UUID)
  assert.equal(headers.get('x-request-id'), body.requestId)
  assert.equal(new Date(body.timestamp).toISOString(), body.timestamp)
  assert.ok(Math.abs(Date.parse(body.timestamp) - Date.now()) < 60_000)
}

/** The messages of the validation errors of a response, by field. */
export function fieldsOf({ body }: ApiResponse): Record<string, string> {
  return Object.fromEntries(
    (body.errors ?? []).map(({ field, message }: { field: string; message: string }) => [field, message]),
  )
}

/** The codes of the validation errors of a response, by field. */
export function fieldCodesOf({ body }: ApiResponse): Record<string, string> {
  return Object.fromEntries(
    (body.errors ?? []).map(({ field, code }: { field: string; code: string }) => [field, code]),
  )
}

/** The response has the envelope and is not a 5xx. With `statuses`, its status is one of them. */
export function assertHandled(response: ApiResponse, statuses?: number[]): void {
  const { status, body } = response
  assert.ok(statuses ? statuses.includes(status) : status < 500, `${status}: ${JSON.stringify(body)}`)
  if (status < 400) assertSucceeded(response, status)
  else assertRefused(response, status)
}

export interface PlainResponse {
  status: number
  headers: Headers
  body: Buffer
}

/**
 * A request with these headers and no others: fetch() adds its own Accept and Accept-Encoding, and decodes the body.
 */
export function fetchPlain(
  { url }: { url: string },
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: string,
): Promise<PlainResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<PlainResponse>()
  const { hostname, port } = new URL(url)
  // The path is sent without normalization.
  const asking = request({ hostname, port, path, method, headers }, (response) => {
    const received = new Headers(response.headers as Record<string, string>)
    buffer(response).then((body) => resolve({ status: response.statusCode ?? 0, headers: received, body }), reject)
  })
  asking.on('error', reject).end(body)
  return promise
}

/** The names in a Vary header, sorted. */
export function variesBy(headers: Headers): string[] {
  const names = (headers.get('vary') ?? '').toLowerCase().split(/\s*,\s*/)
  return names.filter(Boolean).sort()
}
