import assert from 'node:assert/strict'
import { type Answer, get } from './api.ts'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import { type Github, startGithub } from './github.ts'
import { type EngineName, temporaryDatabase } from './service.ts'
import { eventually, startSiteOn, type TestSite } from './site.ts'

export const CONTRIBUTIONS = '/api/github-contributions'

export interface CalendarStage {
  github: Github
  site: TestSite
  /** Another service on the same database, as after a restart. */
  again(settings?: Record<string, string>): Promise<TestSite>
}

/** A service that shows the contributions of somebody at a code host. Both are gone when the test is over. */
export async function stage(
  test: CleanedUp,
  engine: EngineName,
  settings: Record<string, string> = {},
  prepare: (github: Github) => unknown = () => {},
): Promise<CalendarStage> {
  const env = await temporaryDatabase(test, engine)
  const github = await startGithub()
  cleanUp(test, () => github.close())
  await prepare(github)
  const again = async (others: Record<string, string> = {}) => {
    const site = await startSiteOn(env, {}, { ...github.settings, ...settings, ...others })
    cleanUp(test, () => site.close())
    return site
  }
  return { github, site: await again(), again }
}

export async function totalOf(site: { url: string }): Promise<number> {
  const answer = await get(site, CONTRIBUTIONS)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.total
}

/** An error of the public API, which has a form of its own. */
export function assertFailed({ status, headers, body }: Answer, expected: number, code: string): void {
  assert.equal(status, expected)
  assert.deepEqual(Object.keys(body), ['error'])
  assert.deepEqual(Object.keys(body.error).sort(), ['code', 'hint', 'message'])
  assert.equal(body.error.code, code)
  for (const text of Object.values(body.error)) assert.ok(typeof text === 'string' && text.length > 0)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('etag'), null)
}

/** The sum of what the code host tells for a year of so many days. */
export function sumOf(days: number, factor = 1): number {
  return Array.from({ length: days }, (_, n) => (n % 5) * factor).reduce((sum, count) => sum + count, 0)
}

/** Ends when the calendar is in the database, which may be a moment after it was answered. */
export async function isSaved({ portico }: TestSite): Promise<void> {
  await eventually(async () => {
    const rows = await portico.database.query.selectFrom('saved_content').select('name').execute()
    assert.ok(rows.some(({ name }) => name.startsWith('contributions')))
  })
}
