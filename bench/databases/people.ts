import type { Request } from '../load/connection.ts'
import type { Refresh } from '../load/job.ts'
import type { Server } from '../measure/server.ts'

export const PASSWORD = 'Analytical-1'
const JSON_BODY = { 'content-type': 'application/json', 'user-agent': 'bench/1.0' }

/** Some of the accounts, spread over the database. Two works with different places share no account. */
export function peopleIn({ accounts }: { accounts: number }, some: number, place: 'readers' | 'writers'): string[] {
  const step = Math.floor(accounts / some)
  const offset = place === 'readers' ? 1 : 1 + Math.floor(step / 2)
  return Array.from({ length: some }, (_, index) => `person-${index * step + offset}@example.com`)
}

export function logIn(email: string): Request {
  return {
    method: 'POST',
    path: '/api/log-in',
    headers: JSON_BODY,
    body: JSON.stringify({ email, password: PASSWORD }),
  }
}

export const REFRESH: Refresh = {
  request: {
    method: 'POST',
    path: '/api/auth/refresh-token',
    headers: { ...JSON_BODY, 'x-session-id': '<sessionId>' },
    body: '{"refreshToken":"<refreshToken>"}',
  },
  tokens: { sessionId: 'data.session.sessionId', refreshToken: 'data.refreshToken' },
}

/** The same at better-auth, which requires the Origin of a sign-in: its own. */
export function signIn(email: string, { url }: Server): Request {
  const { body, headers } = logIn(email)
  return { method: 'POST', path: '/api/auth/sign-in/email', headers: { ...headers, origin: url }, body } as Request
}

export type RequestHeaders = Record<string, string>

/** Logs users in, and returns the headers of their requests. */
export function signedInAtPortico(server: Server, people: string[]): Promise<RequestHeaders[]> {
  return signedIn(server, people.map(logIn), async (response) => {
    const { data } = (await response.json()) as { data: { accessToken: string; session: { sessionId: string } } }
    return { authorization: `Bearer ${data.accessToken}`, 'x-session-id': data.session.sessionId }
  })
}

export function signedInAtBetterAuth(server: Server, people: string[]): Promise<RequestHeaders[]> {
  const requests = people.map((email) => signIn(email, server))
  return signedIn(server, requests, async ({ headers }) => {
    const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
    return { cookie: cookies.join('; ') }
  })
}

// The log-ins are not measured: few at once, so that no server reaches its limits.
const CONCURRENCY = 8

async function signedIn({ url }: Server, requests: Request[], read: (response: Response) => Promise<RequestHeaders>) {
  const all: RequestHeaders[] = []
  for (let at = 0; at < requests.length; at += CONCURRENCY) {
    all.push(...(await Promise.all(requests.slice(at, at + CONCURRENCY).map(sendAndRead))))
  }
  return all

  async function sendAndRead({ path, method = 'POST', headers = {}, body = '' }: Request) {
    const response = await fetch(url + path, { method, headers, body })
    if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`)
    return read(response)
  }
}
