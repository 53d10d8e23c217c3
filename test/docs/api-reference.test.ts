import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { dereference } from '../../src/http/openapi-references.ts'
import { fieldsOf } from '../../src/pages/api/fields.ts'
import { rulesInWords, typeInWords } from '../../src/pages/api/rules.ts'
import { fetchPlain, get } from '../support/api.ts'
import { referenceCalls } from '../support/api-description.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { type Service, startService } from '../support/service.ts'

const MAX_COMPRESSED_BYTES = 50_000
const REFERENCES = [
  ['/docs/account-api', '/api/openapi.json'],
  ['/docs/content-api', '/openapi.json'],
] as const

interface Described {
  method: string
  path: string
  security: unknown[]
  responses: Record<string, { 'x-error-codes'?: string[] }>
}

describe('the API reference', () => {
  const suite = suiteCleanUp()
  let service: Service
  before(async () => {
    service = await startService('sqlite', { RATE_LIMITS: 'on' })
    cleanUp(suite, () => service.close())
  })

  async function operationsOf(openApiPath: string): Promise<Described[]> {
    const { paths } = dereference((await get(service, openApiPath)).body)
    return Object.entries<Record<string, Described>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
    )
  }

  const page = async (path: string): Promise<string> =>
    (await get(service, path, { headers: { accept: 'text/html' } })).body

  /** The section of a call in the HTML of a page. */
  function sectionOf(html: string, id: string): string {
    const [, section = ''] = html.split(`<section class="call" aria-labelledby="${id}">`)
    return section.split('</section>')[0] ?? ''
  }

  const idOf = ({ method, path }: Described) => `${method} ${path}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')

  for (const [path, openApiPath] of REFERENCES) {
    it(`has a section, an entry in the navigation and examples for every call at ${path}`, async () => {
      const html = await page(path)
      const operations = await operationsOf(openApiPath)
      const calls = await referenceCalls(service, path)
      assert.equal(calls.length, operations.length)
      for (const operation of operations) {
        const id = idOf(operation)
        const section = sectionOf(html, id)
        assert.ok(section.includes(`<h3 id="${id}">`), id)
        // Once in the folded navigation of phones, and once in the other.
        assert.equal(html.split(`<li><a href="#${id}">`).length - 1, 2, id)
        assert.equal(section.includes('Signed in'), operation.security.length > 0, id)
        assert.equal(section.match(/<input type="radio"/g)?.length, 2, id)
        assert.equal(section.match(/<pre /g)?.length, 3, id)
        const call = calls.find(({ name }) => name === `${operation.method} ${operation.path}`)
        assert.ok(call, id)
        assert.ok(call.curl.startsWith('curl ') && call.curl.includes(`http://localhost:3000${operation.path}`), id)
        assert.ok(call.typescript.includes(`'http://localhost:3000${operation.path}`), id)
        assert.ok(String(call.status) in operation.responses, id)
      }
    })

    it(`links at ${path} to parts of the page that exist, each with an id of its own`, async () => {
      const html = await page(path)
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      assert.equal(new Set(ids).size, ids.length)
      const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
      assert.deepEqual(
        targets.filter((id) => !ids.includes(id)),
        [],
      )
    })

    it(`has at most ${MAX_COMPRESSED_BYTES} compressed bytes at ${path}`, async () => {
      const { length } = brotliCompressSync(await page(path))
      assert.ok(length <= MAX_COMPRESSED_BYTES, `${length} bytes`)
    })
  }

  it('links every error code of a call to its row in the table of error codes', async () => {
    const html = await page('/docs/account-api')
    for (const operation of await operationsOf('/api/openapi.json')) {
      const section = sectionOf(html, idOf(operation))
      const codes = Object.values(operation.responses).flatMap((response) => response['x-error-codes'] ?? [])
      assert.ok(codes.includes('rate_limited'))
      for (const code of codes) {
        assert.ok(section.includes(`<a href="#error-${code}"><code>${code}</code></a>`), `${idOf(operation)} ${code}`)
        assert.match(html, new RegExp(`<tr id="error-${code}">\\s*<td[^>]*><code>${code}</code>`))
      }
    }
  })

  it('describes every pattern in words', async () => {
    const { components, paths } = (await get(service, '/api/openapi.json')).body
    const schemas = patternsIn([components.schemas, paths])
    assert.ok(schemas.length > 10)
    assert.deepEqual(
      schemas.filter((schema) => !schema['x-pattern-words'] && !schema.description),
      [],
    )
  })

  it('has the rules and the limits of a call, on the page and in markdown', async () => {
    const calls = await referenceCalls(service, '/docs/account-api')
    const html = sectionOf(await page('/docs/account-api'), 'get-api-security-events')
    const { text = '' } = calls.find(({ name }) => name === 'GET /api/security-events') ?? {}
    assert.ok(text.includes('| `limit` | integer, optional | in the query; 1 to 100; default `50` |'), text)
    assert.ok(html.includes('integer, in the query, 1 to 100, default <code>50</code>'), html)
    assert.match(html, /Too many requests[^<]*Limits: \d+ in 1 minute/)
  })

  it('begins with a page that links to both references and to all files for programs', async () => {
    const html = await page('/docs')
    const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'))
    const links = [...main.matchAll(/href="([^"]+)"/g)].map(([, address = '']) => address)
    for (const address of [...REFERENCES.flat(), '/llms.txt', '/docs/account-api.md']) {
      assert.ok(links.includes(address), address)
    }
    for (const address of links) {
      const [path = '', id] = address.split('#')
      const { status, body } = await fetchPlain(service, path, { accept: 'text/html' })
      assert.equal(status, 200, address)
      if (id) assert.ok(body.includes(` id="${id}"`), address)
    }
  })
})

function patternsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'pattern' in value && typeof value.pattern === 'string' ? [value as Record<string, unknown>] : []
  return [...own, ...Object.values(value).flatMap(patternsIn)]
}

describe('a schema in words', () => {
  for (const [schema, words] of [
    [{ type: 'string' }, ['string']],
    [{ type: 'string', minLength: 1 }, ['string', 'at least 1 character']],
    [{ type: 'string', maxLength: 50 }, ['string', 'at most 50 characters']],
    [{ type: 'string', minLength: 8, maxLength: 128 }, ['string', '8 to 128 characters']],
    [{ type: 'integer', minimum: 0 }, ['integer', 'at least 0']],
    [{ type: 'integer', minimum: 0, maximum: 4, default: 0 }, ['integer', '0 to 4', 'default `0`']],
    [{ type: ['string', 'null'], format: 'date-time' }, ['string (date-time) or null']],
    [{ type: 'array', items: { type: 'object' }, maxItems: 20 }, ['list of objects', 'at most 20 entries']],
    [{ type: 'string', enum: ['a', 'b'] }, ['string', 'one of `a`, `b`']],
    [{ type: 'string', 'x-pattern-words': 'one line', 'x-normalise': 'trim' }, ['string', 'one line', 'trimmed']],
    [{ type: 'string', 'x-file': 'image/png' }, ['string', 'a file of type image/png']],
    [{ type: 'string', 'x-instead-of': 'code' }, ['string', 'instead of `code`']],
  ] as const) {
    it(`is ${words.join(', ')}`, () => {
      const copy = structuredClone(schema) as Parameters<typeof rulesInWords>[0]
      assert.deepEqual([typeInWords(copy), ...rulesInWords(copy)], words)
    })
  }

  it('has the fields of its objects and lists', () => {
    const day = { type: 'object', required: ['date'], properties: { date: {}, note: {} } }
    const fields = fieldsOf({ properties: { days: { type: 'array', items: day }, last: day } })
    assert.deepEqual(
      fields.map(({ within, name, isRequired }) => [within + name, isRequired]),
      [
        ['days', false],
        ['days[].date', true],
        ['days[].note', false],
        ['last', false],
        ['last.date', true],
        ['last.note', false],
      ],
    )
  })
})
