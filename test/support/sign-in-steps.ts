import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { tcpListener } from '../../src/http/listener.ts'
import { assemble } from '../../src/portico.ts'
import { everythingStored } from './accounts.ts'
import { type ApiResponse, assertRefused, assertSucceeded, type Person } from './api.ts'
import { HOME, type SignInProvider, visitProvider } from './providers.ts'
import { type EngineName, freshDatabase, logTo, type Service, withDatabaseTimeout } from './service.ts'

export const ACCEPT_JSON = 'application/json'
export const ACCEPT_HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** A sign-in that was redirected to its provider. */
export interface PendingSignIn {
  authorizationUrl: string
  state: string
  /** The cookie of the browser that began the sign-in. */
  cookie: string
}

/** A browser's request without following redirects. */
export async function visit(
  { url }: { url: string },
  path: string,
  { cookie, accept = ACCEPT_JSON }: { cookie?: string | undefined; accept?: string } = {},
): Promise<ApiResponse> {
  const response = await fetch(url + path, { redirect: 'manual', headers: { accept, ...(cookie && { cookie }) } })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

export function start(
  service: { url: string },
  { name }: Pick<SignInProvider, 'name'>,
  { redirectTo, cookie }: { redirectTo?: string; cookie?: string } = {},
): Promise<ApiResponse> {
  const query = redirectTo === undefined ? '' : `?redirect_to=${encodeURIComponent(redirectTo)}`
  return visit(service, `/api/oauth/${name}/start${query}`, { cookie })
}

/** Begins a sign-in with a new browser, or with the one that has this cookie. */
export async function begin(
  service: { url: string },
  provider: Pick<SignInProvider, 'name'>,
  options?: { redirectTo?: string; cookie?: string },
): Promise<PendingSignIn> {
  const { status, headers, body } = await start(service, provider, options)
  assert.equal(status, 302, JSON.stringify(body))
  const authorizationUrl = headers.get('location') ?? ''
  const state = new URL(authorizationUrl).searchParams.get('state') ?? ''
  return { authorizationUrl, state, cookie: cookiesOf(headers).join('; ') }
}

/** The Cookie header of a browser that was sent these cookies. */
export function cookiesOf(headers: Headers): string[] {
  return headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
}

/** The callback that a provider redirects to, and the cookie of the browser that may open it. */
export async function reachCallback(service: { url: string }, provider: SignInProvider, subject: string) {
  const { authorizationUrl, state, cookie } = await begin(service, provider)
  return { callback: await visitProvider(authorizationUrl, subject), state, cookie }
}

/** The whole sign-in, through the provider and back. */
export async function signIn(
  service: { url: string },
  provider: SignInProvider,
  subject: string,
): Promise<ApiResponse> {
  const { callback, cookie } = await reachCallback(service, provider, subject)
  return visit(service, callback, { cookie })
}

/** The account of a provider's user after a sign-in. */
export async function signedIn(service: { url: string }, provider: SignInProvider, subject: string): Promise<Person> {
  const response = await signIn(service, provider, subject)
  assertSucceeded(response)
  const { accessToken, refreshToken, session, user } = response.body.data
  const { userId, email } = user
  return { email, password: '', userId, accessToken, refreshToken, sessionId: session.sessionId }
}

/** Refused with an API error or, in a browser, with a page that has the same message. */
export function assertSignInRefused(response: ApiResponse, status: number, message: string): void {
  if (typeof response.body !== 'string') {
    assertRefused(response, status, message)
    return
  }
  assert.equal(response.status, status)
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.ok(response.body.includes(message), response.body)
}

/** The attempts sign in no user: no account, session, link, event or mail is created or changed. */
export async function assertNoSignIn(service: Service, attempt: () => Promise<unknown>): Promise<void> {
  const before = await everythingKept(service)
  await attempt()
  assert.deepEqual(await everythingKept(service), before)
}

async function everythingKept(service: Service) {
  const { handshakes: _begun, ...stored } = await everythingStored(service)
  return { ...stored, mails: await service.portico.mailbox?.list() }
}

/** Lets time pass for the sign-ins that have been redirected to a provider, and for nothing else. */
export async function ageHandshakes({ portico }: Service, { minutes }: { minutes: number }): Promise<void> {
  await portico.database.query
    .updateTable('handshakes')
    .set((eb) => ({ expires_at: eb('expires_at', '-', minutes * 60_000) }))
    .execute()
}

/** A service with these settings, and all its log lines. */
export async function startLoggedSignIns(engine: EngineName, settings: Record<string, string>) {
  const lines: string[] = []
  const database = await freshDatabase(engine)
  const log = logTo((line) => lines.push(line), { logLevel: 'debug' })
  const CONTENT_DIR = join(database.env.DATA_DIR ?? '', 'content')
  const config = readConfig({ BASE_URL: HOME, CONTENT_DIR, ...database.env, ...settings })
  const portico = await assemble(withDatabaseTimeout(config), log)
  const { server } = createApp(portico)
  await server.listen(tcpListener({ host: '127.0.0.1', port: 0 }))
  return {
    url: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    lines,
    async close() {
      try {
        await server.close()
        await portico.close()
      } finally {
        await database.drop()
      }
    },
  }
}
