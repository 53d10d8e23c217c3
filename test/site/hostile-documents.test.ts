import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, fileErrorsIn, markdown, startSite, type TestSite } from '../support/site.ts'

const DATE = { date: '2026-01-01' }
const repeated = (piece: string) => piece.repeat(400_000 / piece.length)

// Each takes the renderer a second or more.
const DOCUMENTS = {
  items: repeated('- a\n'),
  headings: repeated('# a\n'),
  links: repeated('[a](b.md) '),
  pictures: repeated('![a](b.png)\n\n'),
  code: repeated('```ts\na\n```\n'),
}
const POSTS = Object.entries(DOCUMENTS).map(([name, text]) => [
  `posts/${name}.md`,
  markdown({ title: name, ...DATE }, `${text}\n\nTheEnd${name}`),
])

describe('a site with hostile documents', () => {
  const suite = suiteCleanUp()
  const site = {} as TestSite
  const delay = monitorEventLoopDelay({ resolution: 5 })
  let startCpu = process.cpuUsage()
  before(async () => {
    startCpu = process.cpuUsage()
    delay.enable()
    const files = {
      ...Object.fromEntries(POSTS),
      'posts/usual.md': markdown({ title: 'Usual', ...DATE }, 'Usual words.'),
    }
    Object.assign(site, await startSite(files))
    cleanUp(suite, () => site.close())
  })

  it('shows all of them, and the other pages', async () => {
    for (const name of Object.keys(DOCUMENTS)) {
      const { status, body } = await get(site, `/blog/${name}`)
      assert.equal(status, 200)
      assert.ok(body.includes(`TheEnd${name}`), name)
      assert.ok((await get(site, `/blog/${name}.md`)).body.includes(`TheEnd${name}`), name)
    }
    assert.match((await get(site, '/blog/usual')).body, /Usual words\./)
    assert.match((await get(site, '/search?q=usual')).body, /\/blog\/usual/)
  })

  it('never blocks the event loop for more than a small part of their time', () => {
    delay.disable()
    const { user } = process.cpuUsage(startCpu)
    // Both in microseconds. The threads of this process have done nearly all of the work.
    assert.ok(delay.max / 1000 < user / 10, `blocked for ${delay.max / 1e6} ms in ${user / 1000} ms of processor time`)
  })

  it('names those that are shown as their markdown', async () => {
    const tooLarge = fileErrorsIn(site).filter((line) => line.includes('the page is too large: its markdown is shown'))
    const named = tooLarge.map((line) => /posts\/(\w+)\.md/.exec(line)?.[1]).sort()
    assert.deepEqual(named, ['code', 'headings', 'links', 'pictures'])
  })

  it('shows a short document that is saved meanwhile', async () => {
    await site.write('posts/items.md', markdown({ title: 'items', ...DATE }, `${DOCUMENTS.items}\n\nAgain`))
    await site.write('posts/new.md', markdown({ title: 'New', ...DATE }, 'New words.'))
    await eventually(async () => assert.match((await get(site, '/blog/new')).body, /New words\./))
    assert.match((await get(site, '/blog/items')).body, /Again/)
  })
})

describe('while hostile documents are rendered', () => {
  const HOSTILE = ['first', 'second']
  // Takes markdown-it a second or more of processor time. Documents of more than 100,000 characters have their own thread.
  const TEXT = '!['.repeat(51_000)
  const USUAL = 'Usual words of a long post.\n\n'.repeat(700)

  it('a usual long post and the feed are sent before them', async (t) => {
    const hostile = HOSTILE.map((name) => [`posts/${name}.md`, markdown({ title: name, ...DATE }, TEXT)])
    const usual = { 'posts/usual.md': markdown({ title: 'Usual', ...DATE }, USUAL) }
    const site = await startSite({ ...Object.fromEntries(hostile), ...usual })
    cleanUp(t, () => site.close())
    const order: string[] = []
    const request = async (path: string) => {
      const { status, body } = await get(site, path)
      assert.equal(status, 200, path)
      order.push(path)
      return body
    }
    const requests = HOSTILE.map((name) => request(`/blog/${name}`))
    const [post, feed] = await Promise.all(['/blog/usual', '/feed.xml'].map(request))
    assert.deepEqual(order.toSorted(), ['/blog/usual', '/feed.xml'])
    await Promise.all(requests)
    assert.match(post, /Usual words/)
    assert.match(feed, /Usual words/)
    for (const name of HOSTILE)
      assert.ok(feed.includes(`<p><a href="https://site.example/blog/${name}">${name}</a></p>`))
  })
})

describe('the feed of a site with long posts', () => {
  const MAX_CHARACTERS = 4 * 1024 * 1024
  // One item has 100,000 characters at most.
  const TEXT = 'word '.repeat(19_900)
  const LONGER = 'word '.repeat(20_100)
  const POSTS = 50
  const FITTING = Math.floor(MAX_CHARACTERS / (TEXT.length + 30))
  const name = (number: number) => `long-${number}`

  it('has the texts that fit, and links in the place of the others', async (t) => {
    const numbers = Array.from({ length: POSTS }, (_, number) => number)
    // The first is the newest.
    const dateOf = (number: number) => new Date(Date.UTC(2026, 0, 100 - number)).toISOString()
    const long = numbers.map((number) => [
      `posts/${name(number)}.md`,
      markdown({ title: name(number), date: dateOf(number) }, TEXT),
    ])
    const short = markdown({ title: 'Short', date: '2025-01-01' }, 'Few words.')
    const longer = markdown({ title: 'Longer', date: dateOf(-1) }, LONGER)
    const site = await startSite({ ...Object.fromEntries(long), 'posts/short.md': short, 'posts/longer.md': longer })
    cleanUp(t, () => site.close())
    const { body } = await get(site, '/feed.json')
    const { items } = body as { items: { title: string; content_html: string }[] }
    assert.ok(items.reduce((sum, { content_html }) => sum + content_html.length, 0) < MAX_CHARACTERS + 10_000)
    assert.deepEqual(
      items.map(({ title, content_html }) => [title, content_html.length > TEXT.length]),
      [['Longer', false], ...numbers.map((number) => [name(number), number < FITTING]), ['Short', false]],
    )
    assert.equal(items[0]?.content_html, '<p><a href="https://site.example/blog/longer">Longer</a></p>')
    assert.match(items.at(-2)?.content_html ?? '', /^<p><a href="https:\/\/site\.example\/blog\/long-49">/)
    assert.match(items.at(-1)?.content_html ?? '', /Few words\./)
    assert.equal((await get(site, '/feed.xml')).status, 200)
  })
})
