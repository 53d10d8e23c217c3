import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { XMLValidator } from 'fast-xml-parser'
import type { Calendar } from '../../src/content/calendar-days.ts'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { CONTRIBUTIONS, type Github, startGithub } from '../support/contribution-calendar.ts'
import { eventually, fileErrorsIn, markdown, startSite, type TestSite } from '../support/site.ts'

describe('the SVG of the contributions', () => {
  const site = {} as TestSite
  const github = {} as Github
  let calendar: Calendar
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(github, await startGithub())
    cleanUp(suite, () => github.close())
    Object.assign(site, await startSite({}, github.settings))
    cleanUp(suite, () => site.close())
    await eventually(async () => assert.equal((await get(site, '/contributions.svg')).status, 200))
    calendar = (await get(site, CONTRIBUTIONS)).body
  })

  const drawings = async (): Promise<string[]> => {
    const alone = await get(site, '/contributions.svg')
    assert.equal(alone.headers.get('content-type'), 'image/svg+xml')
    const [inPage = ''] = /<svg[^>]*class="graph"[\s\S]*?<\/svg>/.exec((await get(site, '/')).body) ?? []
    return [alone.body, inPage]
  }

  it('is XML with the name and the description of an image', async () => {
    for (const svg of await drawings()) {
      assert.equal(XMLValidator.validate(svg), true)
      const [, labels = ''] = /<svg [^>]*role="img" aria-labelledby="([^"]+)"/.exec(svg) ?? []
      const [title, text] = labels.split(' ')
      assert.match(svg, new RegExp(`<title id="${title}">${calendar.total} contributions in the past year</title>`))
      assert.match(
        svg,
        new RegExp(`<desc id="${text}">Contributions on \\d+ of ${calendar.data.length} days; the most on`),
      )
    }
  })

  it('has a square of its level for each day, with a text label', async () => {
    for (const svg of await drawings()) {
      const squares = [...svg.matchAll(/<rect class="l(\d)" x="(\d+)" y="(\d+)"[^>]*><title>([^<]+)<\/title><\/rect>/g)]
      assert.deepEqual(
        squares.map(([, level, , , title]) => [Number(level), title]),
        calendar.data.map(({ date, count, level }) => [
          level,
          `${count} contribution${count === 1 ? '' : 's'} on ${date}`,
        ]),
      )
      assert.equal(new Set(squares.map(([, , x, y]) => `${x} ${y}`)).size, squares.length)
      // A row is a day of the week.
      const rows = Map.groupBy(squares, ([, , , y]) => y)
      assert.equal(rows.size, 7)
      for (const [, row] of rows) {
        assert.equal(new Set(row.map(([, , , , title = '']) => new Date(title.slice(-10)).getUTCDay())).size, 1)
      }
    }
  })

  it('names months and days of the week', async () => {
    for (const svg of await drawings()) {
      const labels = [...svg.matchAll(/<text [^>]+>([^<]+)<\/text>/g)].map(([, label]) => label ?? '')
      for (const day of ['Mon', 'Wed', 'Fri']) assert.ok(labels.includes(day), day)
      const months = labels.filter((label) => !['Mon', 'Wed', 'Fri', 'Less', 'More'].includes(label))
      assert.equal(new Set(months).size, 12, months.join())
      assert.equal(months.length, 12)
    }
  })

  it('has a legend from less to more', async () => {
    for (const svg of await drawings()) {
      const [, steps = ''] = />Less<\/text>([\s\S]*?)<text [^>]+>More</.exec(svg) ?? []
      assert.deepEqual(
        [...steps.matchAll(/<rect class="l(\d)"/g)].map(([, level]) => level),
        ['0', '1', '2', '3', '4'],
      )
    }
  })

  it('has its own colours as a separate file, and uses those of the page inside it', async () => {
    const [alone = '', inPage = ''] = await drawings()
    assert.match(alone, /<style>[^<]*\.graph \.l4/)
    assert.doesNotMatch(inPage, /<style|style=/)
    const { headers } = await get(site, '/contributions.svg')
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
  })

  it('is a table too, whose months sum up to the total', async () => {
    const { body } = await get(site, '/')
    const table = /<table>[\s\S]*?<\/table>/.exec(body)?.[0] ?? ''
    assert.equal(table.match(/<th scope="col">/g)?.length, 3)
    const rows = [...table.matchAll(/<tr><td>(\d{4}-\d\d)<\/td><td>(\d+)<\/td>/g)]
    assert.ok(rows.length === 12 || rows.length === 13)
    assert.equal(
      rows.reduce((sum, [, , count]) => sum + Number(count), 0),
      calendar.total,
    )
    const inWords = (await get(site, '/index.md')).body
    for (const [, month, count] of rows) assert.ok(inWords.includes(`| ${month} | ${count} |`), String(month))
  })

  it('is not the picture of a post, as it is drawn anew every day', async () => {
    await site.write('posts/cover.md', markdown({ title: 'A', date: '2024-01-01', image: '/contributions.svg' }))
    const fault = /^content\/posts\/cover\.md:4: there is no picture \/contributions\.svg for "image"/
    await eventually(async () => assert.match(fileErrorsIn(site).at(-1) ?? '', fault))
  })
})
