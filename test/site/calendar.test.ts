import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Day, upToToday } from '../../src/content/calendar-days.ts'
import { get } from '../support/api.ts'
import {
  assertFailed,
  CONTRIBUTIONS,
  isSaved,
  startCalendarSite,
  sumOf,
  totalOf,
} from '../support/contribution-calendar.ts'
import { ENGINES } from '../support/service.ts'
import { eventually } from '../support/site.ts'

const NOON = Date.parse('2026-03-15T12:00:00Z')
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const YEAR = sumOf(365)

for (const engine of ENGINES) {
  describe(`the contribution calendar on ${engine}`, () => {
    it('has each day of the past twelve months, in order, with its count and level', async (test) => {
      test.mock.timers.enable({ apis: ['Date'], now: NOON })
      const { site, github } = await startCalendarSite(test, engine)
      const { status, headers, body } = await get(site, CONTRIBUTIONS)
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual(Object.keys(body), ['total', 'data'])
      assert.equal(body.total, YEAR)
      assert.deepEqual([body.data[0].date, body.data.at(-1).date], ['2025-03-16', '2026-03-15'])
      assertDayByDay(body.data)
      body.data.toReversed().forEach((day: Day, index: number) => {
        assert.deepEqual(day, { date: day.date, count: index % 5, level: index % 5 })
      })
      assert.deepEqual(github.requests, [
        {
          authorization: `Bearer ${github.token}`,
          variables: { login: 'ada', from: '2025-03-16T00:00:00.000Z', to: '2026-03-15T12:00:00.000Z' },
        },
      ])
    })

    it('sends one request for fifty concurrent clients, and no other within the hour', async (test) => {
      test.mock.timers.enable({ apis: ['Date'], now: NOON })
      const { site, github } = await startCalendarSite(test, engine, {}, ({ state }) => {
        state.fault = { seconds: 0.3 }
      })
      const totals = await Promise.all(Array.from({ length: 50 }, () => totalOf(site)))
      assert.deepEqual(new Set(totals), new Set([YEAR]))
      test.mock.timers.setTime(NOON + HOUR_MS - 1000)
      await totalOf(site)
      await get(site, '/')
      assert.equal(github.requests.length, 1)
    })

    it('serves the cached data during one refresh after an hour', async (test) => {
      test.mock.timers.enable({ apis: ['Date'], now: NOON })
      const { site, github } = await startCalendarSite(test, engine)
      await totalOf(site)
      Object.assign(github.state, { factor: 2, fault: { seconds: 0.3 } })
      test.mock.timers.setTime(NOON + HOUR_MS + 1000)
      assert.deepEqual(await Promise.all([totalOf(site), totalOf(site), totalOf(site)]), [YEAR, YEAR, YEAR])
      await eventually(async () => assert.equal(await totalOf(site), sumOf(365, 2)))
      assert.equal(github.requests.length, 2)
    })

    it('refreshes the home page and the SVG too, also without requests for the numbers', async (test) => {
      test.mock.timers.enable({ apis: ['Date'], now: NOON })
      const { site, github } = await startCalendarSite(test, engine)
      const says = (path: string, total: number) => async () =>
        assert.ok((await get(site, path)).body.includes(`${total.toLocaleString('en')} contributions in the past year`))
      await eventually(says('/', YEAR))
      const modified = (await get(site, '/')).headers.get('last-modified') ?? ''
      github.state.factor = 2
      test.mock.timers.setTime(NOON + HOUR_MS + 1000)
      await eventually(says('/', sumOf(365, 2)))
      await eventually(says('/contributions.svg', sumOf(365, 2)))
      for (const path of ['/', '/contributions.svg']) {
        const headers = { 'if-modified-since': modified }
        assert.equal((await get(site, path, { headers })).status, 200, path)
      }
    })

    it('begins a new day on the home page at midnight, also when the code host is down', async (test) => {
      const midnight = Date.parse('2026-03-16T00:00:00Z')
      test.mock.timers.enable({ apis: ['Date'], now: midnight - 1_000 })
      const { site, github } = await startCalendarSite(test, engine)
      const endsOn = (date: string) => async () =>
        assert.equal((await get(site, '/')).body.match(/ on [-\d]+(?=<\/title>)/g)?.at(-1), ` on ${date}`)
      await eventually(endsOn('2026-03-15'))
      await github.down()
      test.mock.timers.setTime(midnight + 1)
      await eventually(endsOn('2026-03-16'))
    })

    it('ends today, also when the code host has been down since yesterday', async (test) => {
      test.mock.timers.enable({ apis: ['Date'], now: NOON })
      const { site, github } = await startCalendarSite(test, engine)
      await totalOf(site)
      await github.down()
      test.mock.timers.setTime(NOON + 24 * HOUR_MS)
      const { status, body } = await get(site, CONTRIBUTIONS)
      assert.equal(status, 200)
      assert.deepEqual(body.data.at(-1), { date: '2026-03-16', count: 0, level: 0 })
      assert.deepEqual([body.data[0].date, body.data.length], ['2025-03-17', 365])
      assertDayByDay(body.data)
      assert.equal(
        body.total,
        body.data.reduce((sum: number, { count }: Day) => sum + count, 0),
      )
    })

    it('serves the cached data while the code host fails, retries after a minute, and recovers', async (test) => {
      test.mock.timers.enable({ apis: ['Date'], now: NOON })
      const { site, github } = await startCalendarSite(test, engine)
      await totalOf(site)
      Object.assign(github.state, { factor: 2, fault: { status: 500, body: 'no' } })
      test.mock.timers.setTime(NOON + 2 * HOUR_MS)
      assert.equal(await totalOf(site), YEAR)
      await eventually(async () => assert.ok(site.lines.join('').includes('could not get the contributions')))
      github.state.fault = undefined
      for (let times = 0; times < 5; times++) assert.equal(await totalOf(site), YEAR)
      assert.equal(github.requests.length, 2)
      test.mock.timers.setTime(NOON + 2 * HOUR_MS + MINUTE_MS + 1)
      await eventually(async () => assert.equal(await totalOf(site), sumOf(365, 2)))
      assert.equal(github.requests.length, 3)
    })

    it('survives a restart, with the code host down', async (test) => {
      const { site, github, again } = await startCalendarSite(test, engine)
      const total = await totalOf(site)
      await isSaved(site)
      await github.down()
      const later = await again()
      assert.equal(await totalOf(later), total)
      await eventually(async () => assert.equal((await get(later, '/contributions.svg')).status, 200))
      assert.equal(github.requests.length, 1)
    })

    it('is never that of a user who was configured before', async (test) => {
      const { site, github, again } = await startCalendarSite(test, engine)
      await totalOf(site)
      await isSaved(site)
      github.state.fault = { status: 500, body: 'no' }
      const other = await again({ GITHUB_USERNAME: 'grace' })
      assertFailed(await get(other, CONTRIBUTIONS), 502, 'upstream_error')
      assert.equal(github.requests.at(-1)?.variables.login, 'grace')
      assert.equal((await get(other, '/contributions.svg')).status, 404)
      assert.deepEqual(other.portico.requestTally.lastHour(), { requests: 2, errors: 1 })
    })

    for (const missing of ['GITHUB_TOKEN', 'GITHUB_USERNAME']) {
      it(`is not configured without ${missing}, and responds so`, async (test) => {
        const { site, github } = await startCalendarSite(test, engine, { [missing]: '' })
        assertFailed(await get(site, CONTRIBUTIONS), 500, 'misconfigured')
        assert.equal((await get(site, '/contributions.svg')).status, 404)
        assert.doesNotMatch((await get(site, '/')).body, /class="graph"|in the past year/)
        assert.equal(github.requests.length, 0)
        // Nothing is wrong with the service, so its owner sees no error.
        assert.deepEqual(site.portico.requestTally.lastHour(), { requests: 3, errors: 0 })
      })
    }
  })
}

describe('the twelve months', () => {
  for (const [today, first] of [
    ['2026-03-15T00:00:00.000Z', '2025-03-16'],
    ['2026-03-15T23:59:59.999Z', '2025-03-16'],
    ['2026-12-31T10:00:00.000Z', '2026-01-01'],
    ['2027-01-01T10:00:00.000Z', '2026-01-02'],
    ['2028-02-28T10:00:00.000Z', '2027-03-01'],
    ['2028-03-01T10:00:00.000Z', '2027-03-02'],
    ['2029-02-28T10:00:00.000Z', '2028-02-29'],
  ] as const) {
    it(`that end on ${today} begin on ${first}`, () => {
      const { total, data } = upToToday(
        { total: 7, data: [{ date: '1999-01-01', count: 7, level: 1 }] },
        new Date(today),
      )
      assert.deepEqual([total, data[0]?.date, data.at(-1)?.date], [0, first, today.slice(0, 10)])
      assertDayByDay(data)
    })
  }

  it('that end on a leap day are a year long', () => {
    const { data } = upToToday({ total: 0, data: [] }, new Date('2028-02-29T10:00:00Z'))
    assert.equal(data.at(-1)?.date, '2028-02-29')
    assert.ok(data.length === 365 || data.length === 366)
    assertDayByDay(data)
  })
})

/** No day twice and none missing. */
function assertDayByDay(data: Day[]): void {
  data.slice(1).forEach(({ date }, index) => {
    assert.equal(Date.parse(date) - Date.parse(data[index]?.date ?? ''), 24 * HOUR_MS)
  })
}
