import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { get } from '../support/api.ts'
import {
  assertFailed,
  CONTRIBUTIONS,
  type Github,
  startCalendarSite,
  totalOf,
} from '../support/contribution-calendar.ts'
import { ENGINES } from '../support/service.ts'
import { eventually, type TestSite } from '../support/site.ts'

const respondingWith = (body: unknown, status = 200) => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const calendar = (weeks: unknown) => ({
  data: { user: { contributionsCollection: { contributionCalendar: { weeks } } } },
})
const oneDay = (day: object) =>
  respondingWith(
    calendar([{ contributionDays: [{ date: '2026-01-01', contributionCount: 1, contributionLevel: 'NONE', ...day }] }]),
  )
const yearOf = (contributionCount: number) => {
  const contributionDays = Array.from({ length: 366 }, (_, age) => {
    const date = new Date(Date.now() - age * 24 * 60 * 60_000).toISOString().slice(0, 10)
    return { date, contributionCount, contributionLevel: 'NONE' }
  })
  return [{ contributionDays }]
}
const YEAR = yearOf(1)
const TODAY = YEAR[0]?.contributionDays[0]
const NO_DATA = { data: null, errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] }

const FAULTS: [what: string, fault: Github['state']['fault']][] = [
  ['refuses the token', respondingWith({ message: 'Bad credentials' }, 401)],
  ['forbids the request', respondingWith({ message: 'rate limit' }, 403)],
  ['fails', respondingWith('oops', 500)],
  ['redirects', respondingWith('', 302)],
  ['sends no JSON', respondingWith('<html>')],
  ['sends truncated JSON', respondingWith('{"data":')],
  ['sends nothing', respondingWith('')],
  ['sends null', respondingWith('null')],
  ['sends a list', respondingWith([])],
  ['sends errors with 200', respondingWith(NO_DATA)],
  ['sends a calendar with errors', respondingWith({ ...calendar(YEAR), errors: [{ message: 'a part is missing' }] })],
  ['sends counts that are too large to be added', respondingWith(calendar(yearOf(1e308)))],
  ['sends no weeks', respondingWith(calendar([]))],
  ['sends a month', respondingWith(calendar([{ contributionDays: YEAR[0]?.contributionDays.slice(-31) }]))],
  ['sends the same day again and again', respondingWith(calendar([{ contributionDays: Array(366).fill(TODAY) }]))],
  ['sends invalid weeks', respondingWith(calendar({ length: 1 }))],
  ['sends empty weeks', respondingWith(calendar([null]))],
  ['sends weeks without days', respondingWith(calendar([{}]))],
  ['sends a negative count', oneDay({ contributionCount: -1 })],
  ['sends a count that is not a number', oneDay({ contributionCount: '1' })],
  ['sends a broken count', oneDay({ contributionCount: 1.5 })],
  ['sends an unknown level', oneDay({ contributionLevel: 'FIFTH_QUARTILE' })],
  ['sends a level named like an Object.prototype property', oneDay({ contributionLevel: 'constructor' })],
  ['sends an invalid day', oneDay({ date: 'today' })],
  ['sends more than a megabyte', respondingWith({ padding: 'x'.repeat(1024 * 1024), ...calendar([]) })],
]

describe('the contribution calendar', () => {
  // Wrong responses do not involve the database, so one engine is enough.
  for (const [what, fault] of FAULTS) {
    it(`fails with an upstream error for a minute when the code host ${what}`, async (test) => {
      test.mock.timers.enable({ apis: ['Date'], now: Date.now() })
      const { site, github } = await startCalendarSite(test, 'sqlite', {}, ({ state }) => {
        state.fault = fault
      })
      await assertUpstreamFailed(site)
      github.state.fault = undefined
      test.mock.timers.setTime(Date.now() + 60_001)
      assert.ok((await totalOf(site)) > 0)
      await eventually(async () => assert.equal((await get(site, '/contributions.svg')).status, 200))
    })
  }
})

for (const engine of ENGINES) {
  describe(`the contribution calendar on ${engine}`, () => {
    it('fails with an upstream error when the code host does not know the user', async (test) => {
      const { site } = await startCalendarSite(test, engine, { GITHUB_USERNAME: 'nobody' })
      await assertUpstreamFailed(site)
      assertExplained(site, /knows no user "nobody" \(GITHUB_USERNAME\)/)
    })

    it('logs that the code host refuses the token', async (test) => {
      const { site } = await startCalendarSite(test, engine, { GITHUB_TOKEN: 'ghp_wrong' })
      await assertUpstreamFailed(site)
      assertExplained(site, /refused GITHUB_TOKEN \(401\)/)
    })

    it('fails with an upstream error while the code host is down, and the rest is served', async (test) => {
      const { site } = await startCalendarSite(test, engine, {}, (github) => github.down())
      await assertUpstreamFailed(site)
      for (const path of ['/', '/blog', '/feed.xml']) assert.equal((await get(site, path)).status, 200)
    })

    it('recovers at a visit of the home page when the code host is up again', async (test) => {
      test.mock.timers.enable({ apis: ['Date'], now: Date.now() })
      const { site, github } = await startCalendarSite(test, engine, {}, (host) => host.down())
      await assertUpstreamFailed(site)
      assert.doesNotMatch((await get(site, '/')).body, /class="graph"/)
      await github.up()
      test.mock.timers.setTime(Date.now() + 60_001)
      await eventually(async () => assert.match((await get(site, '/')).body, /class="graph"/))
    })

    it('fails with an upstream error when the code host does not respond or truncates its response', async (test) => {
      const faults = ['silence', 'half'] as const
      const stages = await Promise.all(
        faults.map((fault) =>
          startCalendarSite(test, engine, {}, ({ state }) => {
            state.fault = fault
          }),
        ),
      )
      // Without a timeout neither request would end.
      await Promise.all(stages.map(({ site }) => assertUpstreamFailed(site)))
    })

    it('is not requested again within a minute of a failure', async (test) => {
      const { site, github } = await startCalendarSite(test, engine, {}, ({ state }) => {
        state.fault = respondingWith('oops', 500)
      })
      await assertUpstreamFailed(site)
      const before = github.requests.length
      for (let times = 0; times < 5; times++) await assertUpstreamFailed(site)
      assert.equal(github.requests.length, before)
    })

    it('sends the token to the code host only', async (test) => {
      const { site, github, again } = await startCalendarSite(test, engine)
      const paths = [
        CONTRIBUTIONS,
        '/',
        '/index.md',
        '/contributions.svg',
        '/openapi.json',
        '/llms-full.txt',
        '/nothing',
      ]
      const responses = async () => (await Promise.all(paths.map((path) => get(site, path)))).map(everything).join('\n')
      assert.ok(!(await responses()).includes(github.token))
      // A code host that repeats the token in the middle of an unreadable response.
      github.state.fault = respondingWith(`"${github.token}`, 200)
      const other = await again({ GITHUB_USERNAME: 'grace' })
      assert.ok(!everything(await get(other, CONTRIBUTIONS)).includes(github.token))
      for (const { lines } of [site, other]) assert.ok(!lines.join('').includes(github.token))
    })

    it('keeps an invalid token out of the log too', async (test) => {
      const { site, github } = await startCalendarSite(test, engine, { GITHUB_TOKEN: 'ghp_first\nghp_second' })
      await assertUpstreamFailed(site)
      assert.equal(github.requests.length, 0)
      assert.doesNotMatch(site.lines.join(''), /ghp_/)
    })

    it('is served when the code host responds and the database does not', async (test) => {
      const { site } = await startCalendarSite(test, engine, {}, ({ state }) => {
        state.fault = { seconds: 0.5 }
      })
      await site.portico.database.query.schema.dropTable('saved_content').execute()
      assert.ok((await totalOf(site)) > 0)
    })
  })
}

/** The log has the cause for the operator, and no stack trace. */
function assertExplained({ lines }: TestSite, words: RegExp): void {
  const [line = ''] = lines.filter((line) => line.includes('could not get the contributions'))
  assert.match(JSON.parse(line).err.message, words)
  assert.doesNotMatch(line, /"stack":"[^"]|github\.ts/)
}

async function assertUpstreamFailed(site: { url: string }): Promise<void> {
  assertFailed(await get(site, CONTRIBUTIONS), 502, 'upstream_error')
}

function everything({ headers, body }: { headers: Headers; body: unknown }): string {
  return JSON.stringify([[...headers], body])
}
