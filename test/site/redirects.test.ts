import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { checkContent } from '../../src/content/check-content.ts'
import { call } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, fileErrorsIn, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const SITE_YAML = `title: Site
redirects:
  /feed: /feed.xml
  /talk: https://talks.example/ada?year=2026
  /me: /about#work
  /about: /blog
  /loop: /loop
  /lost: /nowhere
  /soon: /blog/later
  /start: /index.md
  /about.md: /blog
`
const FILES = {
  'site.yaml': SITE_YAML,
  'pages/about.md': markdown({ title: 'About', aliases: ['/über-mich', '/About.html'] }, '## Work\n'),
  'posts/2024-01-01-new.md': markdown({
    title: 'New',
    date: '2024-01-01',
    aliases: ['/blog/old', '/2019/01/old.html'],
  }),
  'posts/moved.md': '+++\ntitle = "Moved"\ndate = 2024-01-02\naliases = ["/blog/old", "/moved/"]\n+++\nText.\n',
  'posts/later.md': markdown({ title: 'Later', date: '2999-01-01', aliases: ['/early'] }),
  'posts/rough.md': markdown({ title: 'Rough', date: '2024-01-01', draft: true, aliases: ['/rough'] }),
}
const FAULTS = [
  'site.yaml:6: /about does not redirect: there is a page or a file at this address',
  'site.yaml:11: /about.md does not redirect: there is a page or a file at this address',
  'posts/2024-01-01-new.md:4: /blog/old redirects already: see posts/moved.md:4',
  'site.yaml:7: /loop does not redirect: it leads back to itself',
  'site.yaml:8: /lost does not redirect: there is nothing at /nowhere',
  'site.yaml:9: /soon does not redirect: there is nothing at /blog/later',
]

describe('redirects', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(FILES))
    cleanUp(suite, () => site.close())
  })
  const request = (path: string, method = 'GET') => call(site, method, path, undefined, { redirect: 'manual' })

  for (const [path, location] of [
    ['/feed', '/feed.xml'],
    ['/feed/', '/feed.xml'],
    ['/talk', 'https://talks.example/ada?year=2026'],
    ['/talk?a=1&b=2', 'https://talks.example/ada?year=2026&a=1&b=2'],
    ['/me?a=1', '/about?a=1#work'],
    ['/%C3%BCber-mich', '/about'],
    ['/über-mich', '/about'],
    ['/About.html', '/about'],
    ['/About.html.md', '/about.md'],
    ['/2019/01/old.html', '/blog/new'],
    ['/blog/old', '/blog/moved'],
    ['/blog/old.md?a', '/blog/moved.md?a'],
    ['/start', '/index.md'],
    ['/moved', '/blog/moved'],
    ['/moved/', '/blog/moved'],
  ] as const) {
    it(`lead from ${path} to ${location}`, async () => {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await request(path, method)
        assert.deepEqual([status, headers.get('location')], [301, location], method)
        assert.equal(headers.get('cache-control'), 'public, max-age=60, stale-while-revalidate=600')
      }
    })
  }

  it('lead to pages that exist', async () => {
    const { status, url } = await fetch(`${site.url}/blog/old.md?x=1`)
    assert.deepEqual([status, new URL(url).pathname + new URL(url).search], [200, '/blog/moved.md?x=1'])
  })

  it('are not there for drafts, for other spellings, for files of other sites and for other methods', async () => {
    for (const path of ['/early', '/rough', '/FEED', '/talk.md', '/feed.md', '/loop', '/lost', '/soon', '/moved/x'])
      assert.equal((await request(path)).status, 404, path)
    for (const path of ['/about', '/about.md']) assert.equal((await request(path)).status, 200, path)
    assert.equal((await request('/moved', 'POST')).status, 404)
  })

  it('with a fault are logged, and found by the check of the content', async () => {
    await eventually(async () =>
      assert.deepEqual(
        fileErrorsIn(site),
        FAULTS.map((fault) => `content/${fault}`),
      ),
    )
    const { faults } = await checkContent(site.folder, SITE_ADDRESS)
    assert.deepEqual(faults.map(({ message }) => message).toSorted(), FAULTS.toSorted())
  })
})
