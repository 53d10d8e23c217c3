import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { exchange, head } from '../support/raw-http.ts'
import { eventually, fileErrorsIn, markdown, startSite, type TestSite } from '../support/site.ts'

const ALIASES = 10_000
const ALIASES_PER_FILE = 100
/** Targets that leave the site or end the header, and aliases of the same kind. */
const HOSTILE = [
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  '/..//evil.example',
  'http://evil.example',
  'https://site.example@evil.example',
  'javascript:alert(1)',
  '/a\r\nSet-Cookie: a=b',
  '/a\u2028Set-Cookie: a=b',
  'https://evil.example/\r\nSet-Cookie: a=b',
  '/api/log-out',
  '/log-in',
  '/%0d%0aSet-Cookie:%20a=b',
]

/** Ten thousand aliases in a hundred files. Those of the last file are taken from the first one. */
function manyAliases(): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: ALIASES / ALIASES_PER_FILE }, (_, file) => {
      const first = file === 99 ? 0 : file * ALIASES_PER_FILE
      const aliases = Array.from({ length: ALIASES_PER_FILE }, (_, number) => `/old/${first + number}`)
      return [`posts/p-${file}.md`, markdown({ title: `P ${file}`, date: '2024-01-01', aliases })]
    }),
  )
}

describe('hostile redirects', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    const table = Object.fromEntries(HOSTILE.map((target, number) => [`/r${number}`, target]))
    Object.assign(
      site,
      await startSite({
        'site.yaml': `title: Site\nredirects: ${JSON.stringify({ ...table, '/a': '/b', '/b': '/c', '/c': '/a', '/good': '/hostile' })}\n`,
        'pages/hostile.md': markdown({ title: 'Hostile', aliases: [...HOSTILE, '/fine', '/blog', '/', '/hostile'] }),
        'pages/one.md': markdown({ title: 'One', aliases: ['/two'] }),
        'pages/two.md': markdown({ title: 'Two', aliases: ['/one'] }),
        ...manyAliases(),
      }),
    )
    cleanUp(suite, () => site.close())
  })
  const request = (path: string) => get(site, path, { redirect: 'manual' })

  it('of site.yaml go to no other site and add no header', async () => {
    for (const [number, target] of HOSTILE.entries()) {
      const { status, headers } = await request(`/r${number}`)
      assert.equal(headers.get('set-cookie'), null, target)
      if (status === 404) continue
      // Paths of the site itself, and what is encoded in a path, are allowed.
      assert.equal(status, 301, target)
      assert.match(headers.get('location') ?? '', /^\/(?:log-in|api\/log-out)$/, target)
    }
  })

  it('in a loop are not sent, and the others are', async () => {
    for (const path of ['/a', '/b', '/c']) assert.equal((await request(path)).status, 404, path)
    for (const path of ['/fine', '/good']) assert.equal((await request(path)).headers.get('location'), '/hostile', path)
    for (const path of ['/one', '/two', '/hostile', '/blog', '/']) assert.equal((await request(path)).status, 200, path)
  })

  it('of 10,000 addresses are sent, and each of a hundred that are repeated is named', async () => {
    assert.equal((await request('/old/0')).headers.get('location'), '/blog/p-0')
    assert.equal((await request('/old/9850')).headers.get('location'), '/blog/p-98')
    assert.equal((await request('/old/9950')).status, 404)
    await eventually(async () => {
      const repeated = fileErrorsIn(site).filter((message) =>
        /p-(?:0|99)\.md:\d+: \/old\/\d+ redirects already/.test(message),
      )
      assert.equal(repeated.length, ALIASES_PER_FILE)
    })
  })

  it('do not take their target from a request', async () => {
    const locationOf = async (path: string) => {
      const lines = head(`GET ${path} HTTP/1.1`, 'Host: site.example', 'Connection: close')
      const response = await exchange(site, [Buffer.from(lines, 'latin1')])
      assert.doesNotMatch(response, /^set-cookie/im, path)
      return /^location: ([^\r]*)\r$/im.exec(response)?.[1]
    }
    for (const query of ['?//evil.example', '?to=https://evil.example', '?a=%0d%0aSet-Cookie:%20a=b']) {
      const location = await locationOf(`/good${query}`)
      assert.equal(new URL(location ?? 'none:', 'https://site.example').host, 'site.example', query)
      assert.ok(location?.startsWith('/hostile?'), query)
    }
    for (const path of [
      '//evil.example/good',
      '/\\evil.example',
      '/good/..//evil.example',
      '/%2f%2fevil.example',
      '/good?\u00e9',
    ])
      assert.equal(await locationOf(path), undefined, path)
  })
})
