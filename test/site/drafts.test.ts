import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { eventually, type Files, markdown, startSite, type TestSite } from '../support/site.ts'

const FILES = {
  'posts/public.md': markdown({ title: 'Public', date: '2024-01-01' }),
  'posts/rough.md': markdown({ title: 'Rough', date: '2024-01-01', draft: true }, '![a](a.png) [b](public) [c](#d)'),
  'posts/later.md': markdown({ title: 'Later', date: '2999-01-01' }),
  'pages/plan.md': markdown({ title: 'Plan', draft: true }, '![a](../images/a.png) [b](https://b.example/?a&b)'),
}
const PRODUCTION = { NODE_ENV: 'production', SMTP_URL: 'smtp://127.0.0.1:9' }

async function startWith(test: TestContext, files: Files, settings = {}): Promise<TestSite> {
  const site = await startSite(files, settings)
  cleanUp(test, () => site.close())
  return site
}

const said = ({ lines }: TestSite) =>
  lines.map((line) => JSON.parse(line).message).filter((message) => message?.startsWith('content: '))

describe('unpublished content', () => {
  it('is shown to its author in development, and stored by no cache', async (test) => {
    const site = await startWith(test, FILES)
    for (const [path, words] of [
      ['/dev/drafts', /href="\/dev\/drafts\/blog\/rough">Rough<[\s\S]*href="\/dev\/drafts\/plan">Plan</],
      ['/dev/drafts/blog/rough', /<h1>Rough<\/h1>/],
      ['/dev/drafts/blog/later', /<h1>Later<\/h1>[\s\S]*1 January 2999/],
      ['/dev/drafts/plan', /<h1 dir="auto">Plan<\/h1>/],
    ] as const) {
      const { status, headers, body } = await get(site, path)
      assert.equal(status, 200, path)
      assert.match(body, words)
      assert.match(body, /<meta name="robots" content="noindex">/)
      assert.equal(headers.get('cache-control'), 'no-store')
    }
    for (const path of ['/dev/drafts/blog/public', '/dev/drafts/public', '/dev/drafts/none']) {
      assert.equal((await get(site, path)).status, 404, path)
    }
  })

  it('has the pictures and links there that it will have at its own URL', async (test) => {
    const site = await startWith(test, FILES)
    const rough = (await get(site, '/dev/drafts/blog/rough')).body
    for (const address of ['src="/blog/a.png"', 'href="/blog/public"', 'href="/dev/drafts/blog/rough#d"']) {
      assert.ok(rough.includes(address), address)
    }
    const plan = (await get(site, '/dev/drafts/plan')).body
    for (const address of ['src="/images/a.png"', 'href="https://b.example/?a&amp;b"']) {
      assert.ok(plan.includes(address), address)
    }
  })

  it('is not served in production', async (test) => {
    const site = await startWith(test, FILES, PRODUCTION)
    for (const path of ['/dev/drafts', '/dev/drafts/blog/rough', '/dev/drafts/blog/later', '/dev/drafts/plan']) {
      const { status, body } = await get(site, path)
      assert.equal(status, 404, path)
      assert.doesNotMatch(JSON.stringify(body), /Rough|Later|Plan/)
    }
    assert.deepEqual(said(site), ['content: 1 post, 0 pages, 2 drafts, 1 to come, next on 2999-01-01'])
  })

  it('is counted in the log, again when the number changes', async (test) => {
    const site = await startWith(test, FILES)
    const first = 'content: 1 post, 0 pages, 2 drafts, 1 to come, next on 2999-01-01 (see /dev/drafts)'
    assert.deepEqual(said(site), [first])
    await site.write('posts/public.md', markdown({ title: 'Changed', date: '2024-01-01' }))
    await eventually(async () => assert.match((await get(site, '/blog/public')).body, /Changed/))
    assert.deepEqual(said(site), [first])
    for (const file of ['posts/rough.md', 'posts/later.md', 'pages/plan.md']) await site.remove(file)
    await eventually(async () => assert.equal(said(site).at(-1), 'content: 1 post, 0 pages'))
  })
})

describe('a missing content folder', () => {
  it('is logged', async (test) => {
    const site = await startWith(test, {}, { CONTENT_DIR: '/nowhere/at/all' })
    assert.ok(site.lines.some((line) => line.includes('there is no content folder /nowhere/at/all (CONTENT_DIR)')))
  })
})
