import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type ApiResponse, get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { type Github, startGithub } from '../support/contribution-calendar.ts'
import { eventually, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const CALENDAR = '/api/github-contributions'
const SEARCH = '/search.json'
const TYPES: Record<string, string> = {
  [CALENDAR]: 'application/json',
  '/openapi.json': 'application/json',
  '/feed.xml': 'application/rss+xml',
  '/feed.json': 'application/feed+json',
  [SEARCH]: 'application/json',
  '/sitemap.xml': 'application/xml',
  '/llms.txt': 'text/plain',
  '/llms-full.txt': 'text/plain',
  '/.well-known/api-catalog': 'application/linkset+json',
  '/contributions.svg': 'image/svg+xml',
}
// The fields that must be described as required, whatever else there is.
const DAY = { date: '2026-01-01', count: 1, level: 4 }

describe('the description of the content API', () => {
  const site = {} as TestSite
  const silent = {} as TestSite
  const down = {} as TestSite
  const github = {} as Github
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(github, await startGithub())
    cleanUp(suite, () => github.close())
    Object.assign(site, await startSite({}, github.settings))
    cleanUp(suite, () => site.close())
    Object.assign(silent, await startSite())
    cleanUp(suite, () => silent.close())
    Object.assign(down, await startSite({}, { ...github.settings, GITHUB_TOKEN: 'wrong' }))
    cleanUp(suite, () => down.close())
  })

  it('is version 1.0.0 in OpenAPI 3.1.0, with the address of the site', async () => {
    const { status, headers, body } = await get(site, '/openapi.json')
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(body.openapi, '3.1.0')
    assert.equal(body.info.version, '1.0.0')
    assert.deepEqual(body.servers, [{ url: SITE_ADDRESS }])
  })

  it('lints without an error or a warning', async () => {
    const { body } = await get(site, '/openapi.json')
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: JSON.stringify(body), config })
    assert.deepEqual(
      problems
        // An operation that responds only with 200 has no client errors to describe.
        .filter(({ ruleId }) => ruleId !== 'operation-4xx-response')
        .map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`),
      [],
    )
  })

  it('has every endpoint, public and read-only, and no other', async () => {
    const { paths } = (await get(site, '/openapi.json')).body
    assert.deepEqual(Object.keys(paths).sort(), Object.keys(TYPES).sort())
    for (const [path, methods] of Object.entries<Record<string, { security: []; responses: object }>>(paths)) {
      assert.deepEqual(Object.keys(methods), ['get'], path)
      assert.deepEqual(methods.get?.security, [])
    }
    assert.deepEqual(
      Object.keys(paths[CALENDAR].get.responses).filter((status) => status >= '400'),
      ['500', '502'],
    )
  })

  it('is shown as a page too, with the fields of the responses', async () => {
    const { body } = await get(site, '/docs/content-api.md')
    for (const [path, type] of Object.entries(TYPES)) assert.ok(body.includes(`### \`GET ${path}\``), type)
    for (const row of [
      '| `total` | integer | at least 0 | Contributions in the past 12 months |',
      '| `data[].level` | integer | 0 to 4 | How many, in five steps |',
      '| `error.code` | string | one of `not_found`, `misconfigured`, ',
      '| `error.hint` | string, optional |  |  |',
      '| 502 | `upstream_error` | The code host does not respond |',
    ]) {
      assert.ok(body.includes(row), row)
    }
  })

  it('matches every response', async () => {
    await eventually(async () => assert.equal((await get(site, '/contributions.svg')).status, 200))
    const check = await validator(site)
    for (const path of Object.keys(TYPES)) check(path, await get(site, path), 200)
    check(CALENDAR, await get(silent, CALENDAR), 500)
    check(CALENDAR, await get(down, CALENDAR), 502)
    for (const accept of ['application/json', 'text/html', 'text/markdown', 'image/svg+xml', '*/*']) {
      check('/contributions.svg', await get(silent, '/contributions.svg', { headers: { accept } }), 404)
    }
    check(SEARCH, await get(site, `${SEARCH}?q=${'a'.repeat(201)}`), 400)
    for (const path of Object.keys(TYPES).filter((path) => path !== SEARCH)) {
      const { headers } = await get(site, path)
      const again = await get(site, path, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
      check(path, again, 304)
    }
  })

  it('does not match an invalid calendar or error', async () => {
    const { body } = await get(site, '/openapi.json')
    const [calendar, error] = await Promise.all(['200', '502'].map((status) => schemaOf(body, CALENDAR, status)))
    assert.ok(calendar?.({ total: 1, data: [DAY] }))
    for (const wrong of [
      {},
      { total: 1 },
      { data: [] },
      { total: '1', data: [] },
      { total: 1.5, data: [] },
      ...[
        { date: 'x' },
        { date: undefined },
        { count: -1 },
        { count: 0.5 },
        { level: 5 },
        { level: -1 },
        { level: undefined },
      ].map((part) => ({ total: 1, data: [JSON.parse(JSON.stringify({ ...DAY, ...part }))] })),
    ]) {
      assert.ok(!calendar?.(wrong), JSON.stringify(wrong))
    }
    assert.ok(error?.({ error: { code: 'not_found', message: 'b' } }))
    for (const wrong of [
      {},
      { error: {} },
      { error: { code: 'a' } },
      { error: { message: 'b' } },
      { error: { code: 'a', message: 'b' } },
    ]) {
      assert.ok(!error?.(wrong), JSON.stringify(wrong))
    }
  })
})

async function validator(site: TestSite) {
  const { body: document } = await get(site, '/openapi.json')
  return (path: string, { status, headers, body }: ApiResponse, expected: number): void => {
    assert.equal(status, expected, path)
    const { content } = document.paths[path].get.responses[status] ?? assert.fail(`${path} ${status} is not described`)
    if (status === 304) {
      assert.deepEqual([content, body], [undefined, ''])
      return
    }
    const type = status === 200 ? TYPES[path] : 'application/json'
    assert.deepEqual(Object.keys(content), [type])
    assert.equal(headers.get('content-type')?.split(';')[0], type)
    assert.ok(schemaOf(document, path, String(status))(body), path)
  }
}

function schemaOf(document: object, path: string, status: string) {
  const ajv = new Ajv2020({ strict: false, formats: { date: /^\d{4}-\d\d-\d\d$/, uri: /^https?:/ } })
  ajv.addSchema(document, 'content.json')
  const { content } = (document as Described).paths[path]?.get.responses[status] ?? assert.fail(`${path} ${status}`)
  const place = ['paths', path, 'get', 'responses', status, 'content', Object.keys(content)[0] ?? '', 'schema']
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  return ajv.getSchema(`content.json#/${pointer}`) ?? assert.fail(`${path} ${status} has no schema`)
}

interface Described {
  paths: Record<string, { get: { responses: Record<string, { content: object }> } }>
}
