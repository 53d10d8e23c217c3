import assert from 'node:assert/strict'
import { json } from 'node:stream/consumers'
import { type ApiResponse, get } from './api.ts'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import { applyFault, type Fault, listenOnLoopback, sendJson } from './local-servers.ts'
import { type EngineName, temporaryDatabase } from './service.ts'
import { eventually, startSiteOn, type TestSite } from './site.ts'

export const CONTRIBUTIONS = '/api/github-contributions'

export interface CalendarSite {
  github: Github
  site: TestSite
  /** Another service on the same database, as after a restart. */
  again(settings?: Record<string, string>): Promise<TestSite>
}

/** A service that shows the contributions of a user of a code host. The clean-up of the test ends both. */
export async function startCalendarSite(
  test: CleanedUp,
  engine: EngineName,
  settings: Record<string, string> = {},
  prepare: (github: Github) => unknown = () => {},
): Promise<CalendarSite> {
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
  const response = await get(site, CONTRIBUTIONS)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body.total
}

/** An error of the public API, which has another format. */
export function assertFailed({ status, headers, body }: ApiResponse, expected: number, code: string): void {
  assert.equal(status, expected)
  assert.deepEqual(Object.keys(body), ['error'])
  assert.deepEqual(Object.keys(body.error).sort(), ['code', 'hint', 'message'])
  assert.equal(body.error.code, code)
  for (const text of Object.values(body.error)) assert.ok(typeof text === 'string' && text.length > 0)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('etag'), null)
}

/** The sum of the code host's contributions of a year with this many days. */
export function sumOf(days: number, factor = 1): number {
  return Array.from({ length: days }, (_, n) => (n % 5) * factor).reduce((sum, count) => sum + count, 0)
}

/** Resolves when the calendar is in the database, which may be a moment after the response. */
export async function isSaved({ portico }: TestSite): Promise<void> {
  await eventually(async () => {
    const rows = await portico.database.query.selectFrom('saved_content').select('name').execute()
    assert.ok(rows.some(({ name }) => name.startsWith('contributions')))
  })
}

const LEVELS = ['NONE', 'FIRST_QUARTILE', 'SECOND_QUARTILE', 'THIRD_QUARTILE', 'FOURTH_QUARTILE']
const DAY_MS = 24 * 60 * 60_000

export interface RecordedRequest {
  authorization: string | undefined
  variables: { login: string; from: string; to: string }
}

export type Github = Awaited<ReturnType<typeof startGithub>>

/** The level of a day, from 0 to 4, by the number of days before today. */
export type LevelOf = (daysAgo: number) => number

/**
 * A code host with contributions in the format of GitHub's GraphQL API: as many as the level of a day, times a factor.
 */
export async function startGithub(levelOf: LevelOf = (daysAgo) => daysAgo % 5) {
  const token = `ghp_${crypto.randomUUID().replaceAll('-', '')}`
  const requests: RecordedRequest[] = []
  const state: { fault: Fault; factor: number; users: string[] } = { fault: undefined, factor: 1, users: ['ada'] }

  const server = await listenOnLoopback(async (request, response) => {
    const { query, variables } = (await json(request)) as { query: string; variables: RecordedRequest['variables'] }
    requests.push({ authorization: request.headers.authorization, variables })
    if (await applyFault(response, state.fault)) return
    if (!request.headers['user-agent']) return sendJson(response, { message: 'User-Agent is missing' }, 403)
    if (request.headers.authorization !== `Bearer ${token}`)
      return sendJson(response, { message: 'Bad credentials' }, 401)
    if (request.method !== 'POST' || !query.includes('contributionCalendar')) return sendJson(response, {}, 400)
    if (!state.users.includes(variables.login)) return sendJson(response, UNKNOWN_USER)
    sendJson(response, calendarBetween(variables, state.factor, levelOf))
  })

  return {
    ...server,
    token,
    requests,
    state,
    settings: { GITHUB_USERNAME: 'ada', GITHUB_TOKEN: token, GITHUB_API_URL: `${server.url}/graphql` },
  }
}

const UNKNOWN_USER = {
  data: { user: null },
  errors: [{ type: 'NOT_FOUND', path: ['user'], message: 'Could not resolve to a User with the login of nobody.' }],
}

/** Whole weeks from Sunday on, as GitHub has them: the first and the last are cut. */
function calendarBetween({ from, to }: RecordedRequest['variables'], factor: number, levelOf: LevelOf) {
  const today = Math.floor(Date.parse(to) / DAY_MS)
  const weeks: object[][] = []
  for (let day = Math.floor(Date.parse(from) / DAY_MS); day <= today; day++) {
    const level = levelOf(today - day)
    const date = new Date(day * DAY_MS)
    if (weeks.length === 0 || date.getUTCDay() === 0) weeks.push([])
    const contributionLevel = LEVELS[level]
    weeks.at(-1)?.push({ date: date.toISOString().slice(0, 10), contributionCount: level * factor, contributionLevel })
  }
  const contributionCalendar = { weeks: weeks.map((contributionDays) => ({ contributionDays })) }
  return { data: { user: { contributionsCollection: { contributionCalendar } } } }
}
