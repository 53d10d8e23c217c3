import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import type { Portico } from '../../src/portico.ts'
import { type ApiResponse, fetchPlain, get, type PlainResponse, variesBy } from './api.ts'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import { applyFault, type Fault, listenOnLoopback, sendJson } from './loopback-server.ts'
import { type EngineName, freshDatabase, startOn, temporaryDatabase } from './service.ts'

export const SITE_ADDRESS = 'https://site.example'

export interface TestSite {
  url: string
  portico: Portico
  /** The content folder. */
  folder: string
  /** Every line of the log, as it was written. */
  lines: string[]
  write(file: string, content: string | Uint8Array): Promise<void>
  remove(file: string): Promise<void>
  close(): Promise<void>
}

export type Files = Record<string, string | Uint8Array>

/** A service for tests of the public site, with a content folder of its own. */
export async function startSite(files: Files = {}, settings: Record<string, string> = {}): Promise<TestSite> {
  const database = await freshDatabase('sqlite')
  const site = await startSiteOn(database.env, files, settings)
  return {
    ...site,
    async close() {
      try {
        await site.close()
      } finally {
        await database.drop()
      }
    },
  }
}

/** The same on an existing database. */
export async function startSiteOn(
  env: Record<string, string>,
  files: Files = {},
  settings: Record<string, string> = {},
): Promise<TestSite> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-content-'))
  const write = async (file: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), content)
  }
  for (const [file, content] of Object.entries(files)) await write(file, content)

  const lines: string[] = []
  const log = pino({ level: 'trace', messageKey: 'message' }, { write: (line) => lines.push(line) })
  const service = await startOn({ BASE_URL: SITE_ADDRESS, CONTENT_DIR: folder, ...env, ...settings }, { log })
  return {
    ...service,
    folder,
    lines,
    write,
    remove: (file) => rm(join(folder, file)),
    async close() {
      try {
        await service.close()
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

/** A markdown file with this front matter. */
export function markdown(fields: Record<string, unknown>, text = 'Some words.'): string {
  const yaml = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `---\n${yaml.join('\n')}\n---\n${text}\n`
}

/** The log messages about faulty files, with paths as if the content folder were in the working directory. */
export function fileErrorsIn({ folder, lines }: TestSite): string[] {
  return lines
    .map((line) => JSON.parse(line).message)
    .filter((message) => message?.startsWith(`${folder}/`))
    .map((message) => message.replace(folder, 'content'))
}

const WAIT_LIMIT_MS = 60_000

/** Resolves when the check passes for the first time. Rejects with the error of the check when it never passes. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  // Tests may move the date.
  const deadline = performance.now() + WAIT_LIMIT_MS
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await setTimeout(20)
  }
}

/** The distinct addresses under a path that a page links to, in their order. */
export function linksTo(body: string, under: string): string[] {
  const links = [...body.matchAll(/<a (?:class="\w+" )?href="([^"]+)"/g)].map(([, href]) => href ?? '')
  return [...new Set(links.filter((href) => href.startsWith(under)))]
}

interface Rule {
  isAllowed: boolean
  pattern: string
}

/**
 * Whether the group of `User-agent: *` allows a path by RFC 9309, section 2.2: the longest matching pattern decides,
 * Allow wins among equals, and a path without a match is allowed.
 */
export function isAllowed(robots: string, path: string): boolean {
  const rules = rulesForAll(robots).filter(({ pattern }) => matches(pattern, path))
  rules.sort((a, b) => b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed))
  return path === '/robots.txt' || (rules[0]?.isAllowed ?? true)
}

function rulesForAll(robots: string): Rule[] {
  const rules: Rule[] = []
  let isForAll = false
  let isHead = false
  for (const line of robots.split(/\r\n?|\n/)) {
    const [, name = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/i.exec(line) ?? []
    const field = name.toLowerCase()
    if (field === 'user-agent') {
      // Several such lines begin one group.
      isForAll = (isHead && isForAll) || value === '*'
      isHead = true
    } else if (field === 'allow' || field === 'disallow') {
      isHead = false
      if (isForAll && value) rules.push({ isAllowed: field === 'allow', pattern: value })
    }
  }
  return rules
}

/** `*` stands for any characters, and `$` at the end for the end of the path. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('.*')}${isWhole ? '$' : ''}`, 's').test(path)
}

interface Kept {
  response: PlainResponse
  /** The values of the headers named by Vary in the request of the stored response. */
  selected: Record<string, string>
}

/** A shared cache in front of a site: it stores and reuses responses as RFC 9111 permits. */
export class SharedCache {
  readonly #site: { url: string }
  readonly #stored = new Map<string, Kept[]>()
  hits = 0

  constructor(site: { url: string }) {
    this.#site = site
  }

  async ask(path: string, headers: Record<string, string> = {}): Promise<PlainResponse> {
    const stored = this.#stored.get(path) ?? []
    const found = stored.find(({ selected }) =>
      Object.entries(selected).every(([name, value]) => (headers[name] ?? '') === value),
    )
    if (found) {
      this.hits += 1
      return found.response
    }
    const response = await fetchPlain(this.#site, path, headers)
    if (isCacheable(response)) {
      const selected = Object.fromEntries(variesBy(response.headers).map((name) => [name, headers[name] ?? '']))
      this.#stored.set(path, [...stored, { response, selected }])
    }
    return response
  }
}

function isCacheable({ status, headers }: PlainResponse): boolean {
  const rules = headers.get('cache-control') ?? ''
  // Without explicit freshness a cache may use a heuristic for these statuses (RFC 9111, section 4.2.2).
  const isHeuristicallyCacheable = [200, 301, 308, 404, 405, 410].includes(status) && rules === ''
  return (
    isHeuristicallyCacheable || (/public|max-age=[1-9]|s-maxage=[1-9]/.test(rules) && !/no-store|private/.test(rules))
  )
}

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

/**
 * A code host with contributions in the format of GitHub's GraphQL API: `n % 5` on the n-th day before today, times a
 * factor.
 */
export async function startGithub() {
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
    sendJson(response, calendarBetween(variables.from, variables.to, state.factor))
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
function calendarBetween(from: string, to: string, factor: number) {
  const today = Math.floor(Date.parse(to) / DAY_MS)
  const weeks: object[][] = []
  for (let day = Math.floor(Date.parse(from) / DAY_MS); day <= today; day++) {
    const count = (today - day) % 5
    const date = new Date(day * DAY_MS)
    if (weeks.length === 0 || date.getUTCDay() === 0) weeks.push([])
    const contributionLevel = LEVELS[count]
    weeks.at(-1)?.push({ date: date.toISOString().slice(0, 10), contributionCount: count * factor, contributionLevel })
  }
  const contributionCalendar = { weeks: weeks.map((contributionDays) => ({ contributionDays })) }
  return { data: { user: { contributionsCollection: { contributionCalendar } } } }
}
