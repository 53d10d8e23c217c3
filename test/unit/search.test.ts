import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { asyncProperty, assert as check, constantFrom, string } from 'fast-check'
import { buildSearchIndex } from '../../src/content/search/build-search-index.ts'
import { excerptOf, markMatches } from '../../src/content/search/excerpt.ts'
import { type Found, findPages } from '../../src/content/search/find-pages.ts'
import { deserializePassages, serializePassages } from '../../src/content/search/passages.ts'
import { createIndexBuilder, type SearchedPage, type SearchIndex } from '../../src/content/search/search-index.ts'
import { createQueryQueue } from '../../src/publishing/search.ts'

const LONG = `${'One word after another. '.repeat(40)}The needle is here. ${'And then there is more. '.repeat(40)}`
const PAGES = [
  { title: 'Straße & Café', text: 'ÀÉÎ ﬁne 東京タワー e\u0301te\u0301 RATE_LIMIT_API __x__ 😀 שלום' },
  { title: 'Needle', text: LONG },
].map(({ title, text }, number) => ({
  path: `/${number}`,
  title,
  description: '',
  label: '',
  tags: '',
  passages: serializePassages([{ id: '', heading: '', text }]),
}))

const textOf = (pieces: { text: string }[]) => pieces.map(({ text }) => text).join('')

describe('the search', () => {
  let index: SearchIndex
  before(async () => {
    index = await buildSearchIndex(PAGES, new AbortController().signal)
  })

  it('marks matches without changing the text, whatever the query', async () => {
    const words = constantFrom('e', 'été', 'タ', 'rate', 'x', 'FINE', 'שלום', 'strasse', 'needel')
    const texts = string({ unit: constantFrom(...'aÉ東_ \u0301\0😀"<ß\ud800'), maxLength: 20 })
    await check(
      asyncProperty(texts, words, async (any, word) => {
        const { isMatch } = await findPages(index, `${any} ${word}`)
        for (const { title, passages } of PAGES)
          for (const text of [title, deserializePassages(passages)[0]?.text ?? '', any])
            assert.equal(textOf(markMatches(text, isMatch)), text)
      }),
    )
  })

  it('shows a part of a long text that has the match', async () => {
    const { pages, isMatch } = await findPages(index, 'needle')
    assert.equal(pages[0]?.page.title, 'Needle')
    const excerpt = excerptOf(LONG, isMatch)
    assert.ok(textOf(excerpt).length <= 210)
    assert.match(textOf(excerpt), /^… [\s\S]*The needle is here[\s\S]* …$/)
    assert.deepEqual(
      excerpt.filter((piece) => piece.isMatch).map(({ text }) => text),
      ['needle'],
    )
  })

  it('leaves out pages that are not public any more, as if the index did not have them', async () => {
    const without = { ...index, isPublic: (path: string) => path === '/0' }
    assert.equal((await findPages(index, 'needle')).total, 1)
    assert.equal((await findPages(without, 'needle')).total, 0)
    // Without the page that has both words, the page that has one of them is the best.
    const best = ({ pages }: Found) => pages.map(({ page }) => page.path)
    assert.deepEqual(best(await findPages(index, 'needle another cafe')), ['/1'])
    assert.deepEqual(best(await findPages(without, 'needle another cafe')), ['/0'])
    // A word that only withdrawn pages have is absent, and is similar to no word.
    assert.deepEqual((await findPages(without, 'needle')).absent, ['needle'])
    assert.equal((await findPages(without, 'needel')).isMatch('needle'), false)
    assert.deepEqual((await findPages(without, 'cafe')).absent, [])
  })

  it('lets the event loop handle other requests between the steps of a query', async (t) => {
    // Each read of the clock is a millisecond later, so that every part of the query is a step.
    let now = performance.now()
    t.mock.method(performance, 'now', () => (now += 1))
    const words = ['one', 'word', 'after', 'needel']
    let iterations = 0
    let isDone = false
    const search = findPages(index, words.join(' ')).finally(() => {
      isDone = true
    })
    for (; !isDone; iterations++) await setImmediate()
    assert.equal((await search).total, 1)
    assert.ok(iterations > 2 * words.length, `${iterations} iterations`)
  })

  it('does not show a page that is withdrawn while the query runs', async () => {
    assert.equal((await findPages(index, 'needle')).total, 1)
    let calls = 0
    // The query first looks which pages are withdrawn.
    const isPublic = () => {
      calls += 1
      return calls <= PAGES.length
    }
    const { total, pages } = await findPages({ ...index, isPublic }, 'needle')
    assert.deepEqual({ total, pages }, { total: 0, pages: [] })
  })

  it('keeps the index when no page has changed', async () => {
    const { signal } = new AbortController()
    const copies = PAGES.map((page) => ({ ...page, passages: page.passages.slice() }))
    assert.equal(await buildSearchIndex(copies, signal, index), index)
    const changed = PAGES.map((page) => ({ ...page, passages: serializePassages([]) }))
    for (const pages of [PAGES.slice(1), changed]) assert.notEqual(await buildSearchIndex(pages, signal, index), index)
  })
})

describe('the queue of queries', () => {
  it('runs one query in an iteration of the event loop, and refuses those beyond a limit', async () => {
    const runQuery = createQueryQueue()
    const index = await buildSearchIndex(PAGES, new AbortController().signal)
    let finished = 0
    const queries = Array.from({ length: 101 }, async () => {
      const { total } = await runQuery(index, 'needle')
      finished += 1
      return total
    })
    await assert.rejects(runQuery(index, 'needle'), { status: 503 })
    for (let iteration = 1; finished < 101; iteration++) {
      await setImmediate()
      assert.ok(finished <= iteration, `${finished} queries in ${iteration} iterations`)
    }
    assert.deepEqual(new Set(await Promise.all(queries)), new Set([1]))
  })
})

describe('the index of a large site', () => {
  const pages: SearchedPage[] = Array.from({ length: 300 }, (_, number) => ({
    path: `/${number}`,
    title: `Page ${number}`,
    description: '',
    label: '',
    tags: '',
    passages: serializePassages([
      { id: '', heading: '', text: `${LONG} number${number}` },
      { id: 'a', heading: 'Heading', text: `other${number}` },
    ]),
  }))

  it('is built in a thread, and is the same as that of the same pages without a thread', async () => {
    const builder = createIndexBuilder()
    for (const page of pages) builder.add(page)
    const index = await buildSearchIndex(pages, new AbortController().signal)
    assert.deepEqual(index, { pages, ...builder.finish() })
    const { pages: found } = await findPages(index, 'other299')
    assert.deepEqual(
      found.map(({ page, passage }) => [page.path, passage.id]),
      [['/299', 'a']],
    )
  })

  it('is built without a thread where none can be started', async () => {
    const builder = fileURLToPath(new URL('../../src/content/search/build-search-index.ts', import.meta.url))
    const program = `
      const { buildSearchIndex } = await import(${JSON.stringify(builder)})
      const passages = new TextEncoder().encode(JSON.stringify([{ id: '', heading: '', text: 'word '.repeat(1000) }]))
      const page = { path: '/', title: '', description: '', label: '', tags: '', passages }
      const { words } = await buildSearchIndex(Array(100).fill(page), new AbortController().signal)
      console.log(words.join())`
    // The permission model forbids threads (https://nodejs.org/api/permissions.html).
    const options = ['--permission', '--allow-fs-read=*', '--input-type=module', '--eval', program]
    const { stdout } = await promisify(execFile)(process.execPath, options)
    assert.equal(stdout.trim(), 'word')
  })

  it('is not finished after an abort', async () => {
    const controller = new AbortController()
    const built = buildSearchIndex(pages, controller.signal)
    controller.abort(new Error('closed'))
    await assert.rejects(built, /closed|aborted/)
  })
})
