import type { Passage } from './passages.ts'
import type { SearchedPage, SearchIndex } from './search-index.ts'
import { isOneMistakeAway } from './typing-mistakes.ts'
import { spellingsOf, wordsIn } from './words.ts'

export const MAX_QUERY_CHARACTERS = 200
const MAX_WORDS = 8
const MAX_RESULTS = 20
// A shorter word has too many words that begin with it, or that differ by one letter.
const MIN_PREFIX_CHARACTERS = 2
const MIN_MISTAKEN_CHARACTERS = 5

// By the number of the place (see PLACES): a title has more weight than two headings, a heading more than two texts.
const PLACE_WEIGHTS = [1, 1.5, 4, 10]
const MATCH_WEIGHTS = { exact: 1, prefix: 0.7, mistake: 0.5 }

export interface FoundPage {
  page: SearchedPage
  /** The passage that matches best. */
  passage: Passage
}

export interface Found {
  /** The number of pages, which may be more than `pages` has. */
  total: number
  /** The best pages, best first. */
  pages: FoundPage[]
  /** Whether a word of a text matches the query. */
  isMatch(word: string): boolean
}

interface Match {
  /** The number of the word in the index. */
  word: number
  weight: number
}

/**
 * Finds the pages that have every word of the query, or else those that have the most of its words. The last word may
 * be incomplete. For a word that is nowhere, words that differ by one typing mistake are found instead. The work is
 * bounded by the size of the index, times MAX_WORDS.
 */
export function findPages(index: SearchIndex, query: string): Found {
  const words = [...new Set(wordsIn(query.slice(0, MAX_QUERY_CHARACTERS)).map(({ word }) => word))].slice(0, MAX_WORDS)
  const matches = words.map((word, place) => matchesOf(index, word, place === words.length - 1))
  const matched = new Set(matches.flat().map(({ word }) => index.words[word] ?? ''))
  const { ofPages, ofPassages, counts } = scoresOf(index, matches)
  const most = maxOf(counts)
  const { total, best } = bestOf(ofPages, (page) => most > 0 && counts[page] === most)
  return {
    total,
    pages: best.map((page) => foundPage(index, page, ofPassages)),
    isMatch: (word) => spellingsOf(word).some((spelling) => matched.has(spelling)),
  }
}

function matchesOf({ words }: SearchIndex, wanted: string, isLast: boolean): Match[] {
  const mayBeLonger = isLast && wanted.length >= MIN_PREFIX_CHARACTERS
  const begins = (word: string) => mayBeLonger && word.startsWith(wanted)
  const found = matching(words, (word) => word === wanted || begins(word)).map((word) => ({
    word,
    weight: words[word] === wanted ? MATCH_WEIGHTS.exact : MATCH_WEIGHTS.prefix,
  }))
  if (found.length > 0 || wanted.length < MIN_MISTAKEN_CHARACTERS) return found
  return matching(words, (word) => isOneMistakeAway(wanted, word)).map((word) => ({
    word,
    weight: MATCH_WEIGHTS.mistake,
  }))
}

/** The numbers of the words that match. */
function matching(words: string[], isMatch: (word: string) => boolean): number[] {
  const numbers: number[] = []
  for (let number = 0; number < words.length; number++) if (isMatch(words[number] ?? '')) numbers.push(number)
  return numbers
}

/** The scores, and how many words of the query each page has. A rare word counts more than a frequent one. */
function scoresOf(index: SearchIndex, matches: Match[][]) {
  const [pages, passages] = [index.pages.length, index.pageOfPassage.length]
  const scores = { ofPages: new Float64Array(pages), ofPassages: new Float64Array(passages) }
  const counts = new Uint8Array(pages)
  for (const ofWord of matches) {
    const { ofPages, ofPassages } = weightsOf(index, ofWord)
    const having = ofPages.reduce((having, weight) => having + Number(weight > 0), 0)
    // The inverse document frequency.
    const rarity = Math.log(1 + pages / Math.max(1, having))
    addTo(scores.ofPages, ofPages, (weight) => weight * rarity)
    addTo(scores.ofPassages, ofPassages, (weight) => weight * rarity)
    addTo(counts, ofPages, (weight) => Number(weight > 0))
  }
  return { ...scores, counts }
}

/** The weight of the best match in each page and in each passage. */
function weightsOf({ starts, occurrences, pageOfPassage, pages }: SearchIndex, matches: Match[]) {
  const [ofPages, ofPassages] = [new Float64Array(pages.length), new Float64Array(pageOfPassage.length)]
  for (const { word, weight } of matches) {
    const end = starts[word + 1] ?? 0
    for (let at = starts[word] ?? 0; at < end; at++) {
      const occurrence = occurrences[at] ?? 0
      const passage = occurrence >>> 2
      const total = weight * (PLACE_WEIGHTS[occurrence & 3] ?? 0)
      raise(ofPassages, passage, total)
      raise(ofPages, pageOfPassage[passage] ?? 0, total)
    }
  }
  return { ofPages, ofPassages }
}

function raise(numbers: Float64Array, index: number, atLeast: number): void {
  if (atLeast > (numbers[index] ?? 0)) numbers[index] = atLeast
}

function addTo(sums: Float64Array | Uint8Array, weights: Float64Array, value: (weight: number) => number): void {
  for (let index = 0; index < sums.length; index++) sums[index] = (sums[index] ?? 0) + value(weights[index] ?? 0)
}

function maxOf(numbers: Float64Array | Uint8Array): number {
  let max = 0
  for (const number of numbers) max = Math.max(max, number)
  return max
}

/** The pages with the highest scores. Of pages with equal scores, the earlier one is first. */
function bestOf(scores: Float64Array, isFound: (page: number) => boolean): { total: number; best: number[] } {
  const best: number[] = []
  let total = 0
  for (let page = 0; page < scores.length; page++) {
    if (!isFound(page)) continue
    total++
    const score = scores[page] ?? 0
    if (best.length === MAX_RESULTS && score <= (scores[best[MAX_RESULTS - 1] ?? 0] ?? 0)) continue
    const place = best.findIndex((other) => score > (scores[other] ?? 0))
    best.splice(place < 0 ? best.length : place, 0, page)
    best.length = Math.min(best.length, MAX_RESULTS)
  }
  return { total, best }
}

function foundPage({ pages, firstPassages }: SearchIndex, number: number, scores: Float64Array): FoundPage {
  const page = pages[number] as SearchedPage
  const ofPage = scores.subarray(firstPassages[number], firstPassages[number + 1])
  return { page, passage: page.passages[ofPage.indexOf(maxOf(ofPage))] as Passage }
}
