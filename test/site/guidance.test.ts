import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { isAllowed, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const FILES = {
  'posts/first.md': markdown({ title: 'First', date: '2024-01-01' }),
  'pages/about.md': markdown({ title: 'About' }),
}
const PRODUCTION = { NODE_ENV: 'production', SMTP_URL: 'smtp://127.0.0.1:9' }

describe('the rule matcher of these tests', () => {
  for (const [robots, path, expected] of [
    ['User-agent: *\nDisallow: /a', '/a/b', false],
    ['User-agent: *\nDisallow: /a/\nAllow: /a/b', '/a/bc', true],
    ['User-agent: *\nAllow: /a\nDisallow: /a', '/a', true],
    ['User-agent: *\nDisallow: /*.md$', '/blog/a.md', false],
    ['User-agent: *\nDisallow: /*.md$', '/blog/a.md?x', true],
    ['User-agent: *\nDisallow:', '/a', true],
    ['user-agent: other\nUSER-AGENT: *\ndisallow: / # all', '/a', false],
    ['User-agent: other\nDisallow: /', '/a', true],
    ['User-agent: *\nDisallow: /', '/robots.txt', true],
  ] as const) {
    it(`finds ${path} ${expected ? 'allowed' : 'forbidden'} by ${JSON.stringify(robots)}`, () => {
      assert.equal(isAllowed(robots, path), expected)
    })
  }
})

for (const [mode, settings] of [
  ['development', {}],
  ['production', PRODUCTION],
] as const) {
  describe(`robots.txt and llms.txt in ${mode}`, () => {
    const site = {} as TestSite
    const suite = suiteCleanUp()
    let [robots, llms] = ['', '']
    before(async () => {
      Object.assign(site, await startSite(FILES, settings))
      cleanUp(suite, () => site.close())
      robots = (await get(site, '/robots.txt')).body
      llms = (await get(site, '/llms.txt')).body
    })

    it('agree: every link is allowed and exists', async () => {
      // The MCP server, which is called by POST, is tested in mcp.test.ts.
      const written = [...llms.matchAll(/https:\/\/[^\s),;]+(?<!\.)/g)].filter(([address]) => !address.endsWith('/mcp'))
      const links = written.map(([address]) => new URL(address))
      assert.ok(links.length >= 10)
      for (const { origin, pathname } of links) {
        assert.equal(origin, SITE_ADDRESS)
        assert.ok(isAllowed(robots, pathname), pathname)
        assert.equal((await get(site, pathname)).status, 200, pathname)
      }
    })

    it('agree: every call that the linked descriptions offer to programs is allowed', async () => {
      const paths: string[] = []
      for (const description of ['/openapi.json', '/api/openapi.json']) {
        assert.ok(llms.includes(SITE_ADDRESS + description))
        paths.push(...Object.keys((await get(site, description)).body.paths))
      }
      assert.ok(paths.includes('/api/github-contributions') && paths.includes('/api/user-details'))
      // A sign-in through a provider needs a browser with a user.
      const forPrograms = paths.filter((path) => !path.startsWith('/api/oauth/'))
      assert.deepEqual(
        forPrograms.filter((path) => !isAllowed(robots, path)),
        [],
      )
    })

    it('disallow only the redirects of a sign-in', () => {
      assert.ok(!isAllowed(robots, '/api/oauth/codehost/start'))
      for (const path of ['/', '/blog/first.md', '/llms-full.txt', '/llms.txt', '/docs', '/images/a.png']) {
        assert.ok(isAllowed(robots, path), path)
      }
    })

    it(`${mode === 'development' ? 'name' : 'do not name'} the development mailbox`, () => {
      assert.equal(llms.includes('/dev/'), mode === 'development')
      assert.equal(llms.includes(`${SITE_ADDRESS}/dev/mailbox has the mails`), mode === 'development')
    })
  })
}

it('llms.txt does not name a mailbox that does not exist in development', async (test) => {
  const site = await startSite(FILES, { SMTP_URL: PRODUCTION.SMTP_URL })
  cleanUp(test, () => site.close())
  assert.equal((await get(site, '/dev/mailbox')).status, 404)
  assert.doesNotMatch((await get(site, '/llms.txt')).body, /mailbox/i)
})
