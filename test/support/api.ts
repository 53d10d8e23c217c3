import { randomUUID } from 'node:crypto'
import type { StoredMail } from '../../src/mail/mailbox.ts'
import type { Service } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are whatever came back; the assertions say what they must be.
type Json = any

export interface Answer {
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
}

/** One call over HTTP. A string or Buffer body is sent as it is; anything else as JSON. */
export async function call(
  { url }: { url: string },
  method: string,
  path: string,
  body?: unknown,
  { as, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(as && { authorization: `Bearer ${as.accessToken}`, 'x-session-id': as.sessionId }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
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

/** The code in the newest mail to an address. */
export async function codeFor(service: Service, email: string): Promise<string> {
  const [mail] = await mailsTo(service, email)
  const code = /^ {4}(\d{6})$/m.exec(mail?.text ?? '')?.[1]
  if (!code) throw new Error(`no code was mailed to ${email}`)
  return code
}

/** The link in the newest mail to an address: its path with the query, and the token in it. */
export async function linkFor(service: Service, email: string): Promise<{ path: string; token: string }> {
  const [mail] = await mailsTo(service, email)
  const link = URL.parse(/^.*: (http\S+)$/m.exec(mail?.text ?? '')?.[1] ?? '')
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

/** One more session of a person. */
export async function logIn(
  service: { url: string },
  person: Pick<Person, 'email' | 'password'>,
  options: CallOptions = {},
) {
  const { email, password } = person
  const answer = await post(service, '/api/log-in', { email, password }, options)
  if (answer.status !== 200) throw new Error(`log-in failed: ${JSON.stringify(answer.body)}`)
  return personOf(answer.body, password)
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

/** What the owner's timeline says, newest first. */
export async function eventTypes(service: { url: string }, as: Credentials): Promise<string[]> {
  const { body } = await get(service, '/api/security-events?limit=100', { as })
  return body.data.events.map(({ type }: { type: string }) => type)
}
