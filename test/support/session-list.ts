import assert from 'node:assert/strict'
import { get, type Person } from './api.ts'
import { assertSucceeded } from './envelope.ts'

export interface ListedSession {
  sessionId: string
  createdAt: string
  lastActiveAt: string
  revokedAt: string | null
  isCurrent: boolean
}

export async function listSessions(service: { url: string }, as: Person): Promise<ListedSession[]> {
  const answer = await get(service, '/api/sessions', { as })
  assertSucceeded(answer)
  assert.deepEqual(Object.keys(answer.body.data), ['sessions'])
  return answer.body.data.sessions
}

/** How a person sees one session of the own list. */
export async function listedSession(service: { url: string }, as: Person, { sessionId }: Person) {
  const found = (await listSessions(service, as)).find((session) => session.sessionId === sessionId)
  assert.ok(found, `session ${sessionId} is not listed`)
  return found
}

export function assertNow(moment: string | null): void {
  assert.ok(Math.abs(Date.parse(moment ?? '') - Date.now()) < 60_000, `${moment} is not now`)
}
