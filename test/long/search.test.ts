import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { buildSearchIndex } from '../../src/content/search/build-search-index.ts'
import { findPages } from '../../src/content/search/find-pages.ts'
import { serializePassages } from '../../src/content/search/passages.ts'
import type { SearchIndex } from '../../src/content/search/search-index.ts'
import { startProcessorTime } from '../support/measuring.ts'
import { createRandomWords } from '../support/random-values.ts'

const POSTS = 10_000
const WORDS = 60_000
const PASSAGES = 6
const WORDS_IN_PASSAGE = 85
const MAX_MEDIAN_MS = 20
const MAX_INDEX_MB = 30

const { vocabulary, word: randomWord, text: randomText } = createRandomWords(WORDS)

const pages = Array.from({ length: POSTS }, (_, number) => ({
  path: `/blog/${number}`,
  title: randomText(5),
  description: randomText(12),
  label: '',
  tags: '',
  passages: serializePassages(
    Array.from({ length: PASSAGES }, (_, part) => ({
      id: part === 0 ? '' : `part-${part}`,
      heading: part === 0 ? '' : randomText(3),
      text: randomText(WORDS_IN_PASSAGE),
    })),
  ),
}))

describe(`the search of ${POSTS} posts`, () => {
  let index: SearchIndex
  before(async () => {
    index = await buildSearchIndex(pages, new AbortController().signal)
  })

  /** The processor times of the searches, shortest first. */
  async function timesOf(queries: string[]): Promise<number[]> {
    const times: number[] = []
    for (const query of queries) {
      const took = startProcessorTime()
      await findPages(index, query)
      times.push(took())
    }
    return times.sort((a, b) => a - b)
  }

  it(`takes less than ${MAX_MEDIAN_MS} ms at the median`, async (t) => {
    const queries = Array.from({ length: 300 }, (_, number) => {
      const words = Array.from({ length: 1 + (number % 3) }, randomWord)
      const incomplete = words.join(' ').slice(0, number % 2 === 0 ? undefined : -1)
      return number % 5 === 0 ? incomplete.replace(/(.)(.)$/, '$2$1') : incomplete
    })
    await timesOf(queries)
    const times = await timesOf(queries)
    const [median = 0, most = 0] = [times[150], times[285]]
    t.diagnostic(`median ${median.toFixed(1)} ms, 95 % in ${most.toFixed(1)} ms`)
    assert.ok(median < MAX_MEDIAN_MS, `${median} ms`)
  })

  it('is bounded for the queries that need the most work', async (t) => {
    const unknown = Array.from({ length: 30 }, () => Array.from({ length: 25 }, () => `${randomWord()}qx`).join(' '))
    const frequent = Array.from({ length: 30 }, () => `${vocabulary.slice(0, 7).join(' ')} ba`)
    const oneLetter = [Array.from({ length: 100 }, (_, place) => String.fromCodePoint(0x61 + place)).join(' ')]
    const strange = ['é'.repeat(200), '図'.repeat(200), 'ﷺ '.repeat(100), 'b'.repeat(200)]
    const times = await timesOf([...unknown, ...frequent, ...oneLetter, ...strange])
    t.diagnostic(`the longest took ${times.at(-1)?.toFixed(1)} ms`)
    assert.ok((times.at(-1) ?? 0) < MAX_MEDIAN_MS * 10)
  })

  it(`needs an index of less than ${MAX_INDEX_MB} MB`, (t) => {
    const { words, letters, starts, occurrences, pageOfPassage, firstPassages } = index
    const bytes = [letters, starts, occurrences, pageOfPassage, firstPassages].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    )
    // A string of V8 has a header of 16 bytes at most, and is referred to by 8 bytes.
    const total = bytes + words.reduce((sum, { length }) => sum + length + 24, 0)
    t.diagnostic(`${(total / 1e6).toFixed(1)} MB, ${occurrences.length} occurrences of ${words.length} words`)
    assert.ok(total < MAX_INDEX_MB * 1e6, `${total} bytes`)
  })
})
