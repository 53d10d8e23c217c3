import assert from 'node:assert/strict'
import { rename, rm } from 'node:fs/promises'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { get } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { eventually, type Files, fileErrorsIn, markdown, startSite, type TestSite } from '../support/site.ts'

const OLD = { date: '2024-01-01', tags: ['common'] }
const LISTS = ['/', '/blog', '/tags/common', '/feed.xml', '/feed.json', '/sitemap.xml', '/llms.txt', '/llms-full.txt']

async function startWith(test: TestContext, files: Files): Promise<TestSite> {
  const site = await startSite({ 'posts/zeroth.md': markdown({ title: 'Zeroth', ...OLD }), ...files })
  cleanUp(test, () => site.close())
  return site
}

async function textOf(site: TestSite, path: string, headers = {}): Promise<string> {
  const { status, body } = await get(site, path, { headers })
  assert.equal(status, 200, path)
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** The paths that show a post, page and markdown included. */
async function placesOf(site: TestSite, slug: string): Promise<string[]> {
  const seen = await Promise.all(
    LISTS.flatMap((path) => [
      textOf(site, path).then((text) => text.includes(slug) && path),
      textOf(site, path, { accept: 'text/markdown' }).then((text) => text.includes(slug) && path),
    ]),
  )
  const own = await Promise.all(
    [`/blog/${slug}`, `/blog/${slug}.md`].map(async (path) => (await get(site, path)).status === 200 && path),
  )
  return [...new Set([...seen, ...own])].filter((place) => place !== false)
}

const CORRECTED = 'content: all faults are corrected'

describe('in development', () => {
  it('a changed, a new and a deleted file show without a restart', async (test) => {
    const site = await startWith(test, { 'pages/about.md': markdown({ title: 'About' }, 'Before') })
    const first = (await get(site, '/about')).headers.get('etag')

    await site.write('pages/about.md', markdown({ title: 'About' }, 'Afterwards'))
    await eventually(async () => assert.match(await textOf(site, '/about'), /Afterwards/))
    assert.notEqual((await get(site, '/about')).headers.get('etag'), first)

    await site.write('posts/newcomer.md', markdown({ title: 'Newcomer', ...OLD }))
    await eventually(async () => assert.equal((await placesOf(site, 'newcomer')).length, LISTS.length + 2))

    await site.remove('posts/newcomer.md')
    await eventually(async () => assert.deepEqual(await placesOf(site, 'newcomer'), []))
    assert.equal((await placesOf(site, 'zeroth')).length, LISTS.length + 2)
  })

  it('a folder that is created later is watched too', async (test) => {
    const site = await startWith(test, {})
    await site.write('pages/late.md', markdown({ title: 'Late' }))
    await eventually(async () => assert.match(await textOf(site, '/late'), /<h1 dir="auto">Late/))
    await site.write('pages/late.md', markdown({ title: 'Later' }))
    await eventually(async () => assert.match(await textOf(site, '/late'), /<h1 dir="auto">Later/))
  })

  it('an error removes a page and is logged; its correction restores the page', async (test) => {
    const site = await startWith(test, { 'pages/about.md': markdown({ title: 'About' }) })
    assert.deepEqual(fileErrorsIn(site), [])
    await site.write('pages/about.md', '---\ntitle: [\n---\n')
    await eventually(async () => assert.equal((await get(site, '/about')).status, 404))
    assert.match(fileErrorsIn(site).at(-1) ?? '', /^content\/pages\/about\.md:\d: /)
    await site.write('pages/about.md', markdown({ title: 'Mended' }))
    await eventually(async () => assert.match(await textOf(site, '/about'), /Mended/))
    await eventually(async () => assert.equal(site.lines.filter((line) => line.includes(CORRECTED)).length, 1))
  })

  it('a removed folder changes nothing, and another one in its place is read and watched', async (test) => {
    const site = await startWith(test, { 'pages/about.md': markdown({ title: 'About' }, 'Before') })
    const away = `${site.folder}-away`
    await rename(site.folder, away)
    cleanUp(test, () => rm(away, { recursive: true }))
    await eventually(async () => assert.match(site.lines.join(''), /could not prepare the site, which stays as it was/))
    assert.match(await textOf(site, '/about'), /Before/)
    assert.equal((await placesOf(site, 'zeroth')).length, LISTS.length + 2)

    for (const words of ['In between', 'Afterwards']) {
      await site.write('pages/about.md', markdown({ title: 'About' }, words))
      await eventually(async () => assert.ok((await textOf(site, '/about')).includes(words)))
    }
    assert.equal((await get(site, '/blog/zeroth')).status, 404)
  })

  it('an author who never stops writing delays no publication', async (test) => {
    const site = await startWith(test, {})
    let isWriting = true
    const writer = (async () => {
      for (let number = 0; isWriting; number++) {
        await site.write('pages/diary.md', markdown({ title: 'Diary' }, `Entry ${number}.`))
        await setTimeout(5)
      }
    })()
    for (const entry of [/Entry \d/, /Entry \d\d/]) {
      await eventually(async () => {
        const text = await Promise.race([textOf(site, '/diary'), setTimeout(3_000, 'nothing')])
        assert.match(text, entry)
      })
    }
    isWriting = false
    await writer
  })

  it('a style sheet is served for as long as a page that names it may be cached', async (test) => {
    test.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const site = await startWith(test, {})
    const styles: string[] = []
    const paint = async (code: string) => {
      await site.write('pages/code.md', markdown({ title: 'Code' }, `\`\`\`js\n${code}\n\`\`\``))
      await eventually(async () => {
        const [, style = ''] = /href="(\/assets\/[^"]+\.css)"/.exec(await textOf(site, '/')) ?? []
        assert.ok(!styles.includes(style))
        styles.push(style)
      })
    }
    for (const code of ['', 'let a', '1 + 1', '"text"']) await paint(code)
    test.mock.timers.setTime(Date.now() + 10 * 60_000)
    for (const style of styles) assert.match(await textOf(site, style), /^:root/m)

    test.mock.timers.setTime(Date.now() + 2 * 60_000)
    await paint('// said')
    for (const style of styles.slice(0, -2)) assert.equal((await get(site, style)).status, 404, style)
    for (const style of styles.slice(-2)) assert.equal((await get(site, style)).status, 200, style)
  })

  it('a changed page is not a 304', async (test) => {
    const site = await startWith(test, { 'pages/about.md': markdown({ title: 'About', date: '2024-01-01' }, 'Before') })
    for (const path of ['/about', '/llms-full.txt']) {
      const headers = { 'if-modified-since': (await get(site, path)).headers.get('last-modified') ?? '' }
      assert.equal((await get(site, path, { headers })).status, 304, path)
    }
    const about = (await get(site, '/about')).headers.get('last-modified') ?? ''
    // Some clients send the date only. It has whole seconds, so the change has to be in another one than the start.
    let number = 0
    await eventually(async () => {
      const words = `Afterwards ${number++}`
      await site.write('pages/about.md', markdown({ title: 'About', date: '2024-01-01' }, words))
      await eventually(async () => assert.ok((await textOf(site, '/about')).includes(words)))
      assert.equal((await get(site, '/about', { headers: { 'if-modified-since': about } })).status, 200)
    })
  })
})

describe('unpublished content', () => {
  const hidden = {
    'posts/kept-back.md': markdown({ title: 'kept-back', draft: true, ...OLD }),
    'posts/far-off.md': markdown({ title: 'far-off', date: '2999-01-01', tags: ['common', 'secret'] }),
    'pages/unfinished.md': markdown({ title: 'unfinished', draft: true }),
  }

  it('appears nowhere: drafts and posts of the future', async (test) => {
    const site = await startWith(test, hidden)
    for (const slug of ['kept-back', 'far-off', 'unfinished']) assert.deepEqual(await placesOf(site, slug), [])
    for (const path of ['/unfinished', '/unfinished.md', '/tags/secret', '/tags/secret.md']) {
      const { status, body } = await get(site, path)
      assert.equal(status, 404, path)
      assert.doesNotMatch(body, /unfinished|secret/)
    }
    assert.doesNotMatch(await textOf(site, '/blog/zeroth'), /kept-back|far-off/)
    assert.deepEqual(fileErrorsIn(site), [])
  })

  it('appears everywhere by itself at its date', async (test) => {
    const due = Date.now() + 2_000
    const site = await startWith(test, {
      'posts/soon.md': markdown({ title: 'Soon', date: new Date(due).toISOString(), tags: ['common'] }),
    })
    const before = await placesOf(site, 'soon')
    // On a slow machine the two seconds may have passed by now. Then there was nothing to check before.
    if (Date.now() < due) assert.deepEqual(before, [])
    await eventually(async () => assert.equal((await placesOf(site, 'soon')).length, LISTS.length + 2))
    assert.ok(Date.now() >= due)
  })
})
