import { setImmediate } from 'node:timers/promises'
import { type Step, stepsOf } from '../../lib/cooperative-scheduling.ts'
import { deserializePassages, type Passage } from './passages.ts'
import type { SearchedPage, SearchIndex } from './search-index.ts'
import { differByLetters, isWithinMistakes, lettersOf } from './typing-mistakes.ts'
import { spellingsOf, wordsIn } from './words.ts'

export const MAX_QUERY_CHARACTERS = 200
const MAX_WORDS = 8
const MAX_RESULTS = 20
// A shorter word has too many words that begin with it.
const MIN_PREFIX_CHARACTERS = 2
// The minimum length of a word for zero, one and two typing mistakes. Too many words are similar to a shorter one.
const MIN_CHARACTERS_BY_MISTAKES = [0, 4, 8]

// By the number of the field (see FIELDS): a title has more weight than two headings, a heading more than two texts.
const FIELD_WEIGHTS = [1, 1.5, 4, 10]
const MATCH_WEIGHTS = { exact: 1, prefix: 0.7 }
// By the number of mistakes.
const MISTAKE_WEIGHTS = [1, 0.5, 0.3]

// The time of a query without a turn for other requests.
const STEP_MS = 1
// The clock is read after each part. A thousand words take 2 ms before V8 has compiled the code, and 0.1 ms then.
const NUMBERS_IN_PART = 1_000

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
  /** The words of the query that no page has. Similar words were found instead, if there are any. */
  absent: string[]
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
 * be incomplete. For a word that the index lacks, words that differ by one typing mistake are found instead, or
 * by two in long words. The work is bounded by the size of the index, times MAX_WORDS.
 *
 * Pages that have been withdrawn since the index was made count as absent, and so do words that only they have.
 *
 * The event loop handles other requests after each step of the work: before V8 has compiled this code, the first query
 * of 10,000 posts takes up to 70 ms. Compiled, a query takes few steps, so that many other requests delay it little.
 */
export async function findPages(index: SearchIndex, query: string): Promise<Found> {
  const step = stepsOf(STEP_MS, () => setImmediate())
  const withdrawn = await withdrawnPages(index, step)
  const shown = (matches: Match[]) =>
    withdrawn.size === 0 ? matches : matches.filter(({ word }) => hasOtherPage(index, word, withdrawn))
  const words = [...new Set(wordsIn(query).map(({ word }) => word))].slice(0, MAX_WORDS)
  const absent: string[] = []
  const matches: Match[][] = []
  for (const [place, word] of words.entries()) {
    const written = shown(await matchesOf(index, word, place === words.length - 1, step))
    if (written.length === 0) absent.push(word)
    matches.push(written.length > 0 ? written : shown(await similarWords(index, word, step)))
  }
  const matched = new Set(matches.flat().map(({ word }) => index.words[word] ?? ''))
  const { ofPages, ofPassages, counts } = await scoresOf(index, matches, step)
  for (const page of withdrawn) counts[page] = 0
  const most = maxOf(counts)
  const { total, best } = bestOf(ofPages, (page) => most > 0 && counts[page] === most)
  await step()
  // A page may have been withdrawn while the query ran.
  const stillPublic = best.filter((page) => isPublicPage(index, page))
  return {
    total: total - (best.length - stillPublic.length),
    pages: stillPublic.map((page) => foundPage(index, page, ofPassages)),
    absent,
    isMatch: (word) => spellingsOf(word).some((spelling) => matched.has(spelling)),
  }
}

/** Calls `visit` for the parts of a range that begins at 0. */
async function forEachPart(end: number, step: Step, visit: (from: number, end: number) => void): Promise<void> {
  for (let from = 0; from < end; from += NUMBERS_IN_PART) {
    visit(from, Math.min(from + NUMBERS_IN_PART, end))
    await step()
  }
}

/** The word itself, and for the last one also the words that begin with it. */
async function matchesOf({ words }: SearchIndex, wanted: string, isLast: boolean, step: Step): Promise<Match[]> {
  const exact = words.indexOf(wanted)
  const found = exact < 0 ? [] : [{ word: exact, weight: MATCH_WEIGHTS.exact }]
  if (isLast && wanted.length >= MIN_PREFIX_CHARACTERS) {
    await forEachPart(words.length, step, (from, end) => {
      for (let word = from; word < end; word++)
        if (word !== exact && words[word]?.startsWith(wanted)) found.push({ word, weight: MATCH_WEIGHTS.prefix })
    })
  }
  return found
}

/** The words that differ by one typing mistake, or else those that differ by two. */
async function similarWords({ words, letters }: SearchIndex, wanted: string, step: Step): Promise<Match[]> {
  const mistakes = MIN_CHARACTERS_BY_MISTAKES.findLastIndex((characters) => wanted.length >= characters)
  const wantedLetters = lettersOf(wanted)
  let [found, fewest]: [Match[], number] = [[], mistakes]
  await forEachPart(words.length, step, (from, end) => {
    for (let number = from; number < end; number++) {
      const word = words[number] ?? ''
      if (differByLetters(wantedLetters, letters[number] ?? 0, fewest) || !isWithinMistakes(wanted, word, fewest))
        continue
      if (fewest === 2 && isWithinMistakes(wanted, word, 1)) [found, fewest] = [[], 1]
      found.push({ word: number, weight: MISTAKE_WEIGHTS[fewest] ?? 0 })
    }
  })
  return found
}

/** The scores, and how many words of the query each page has. A rare word counts more than a frequent one. */
async function scoresOf(index: SearchIndex, matches: Match[][], step: Step) {
  const [pages, passages] = [index.pages.length, index.pageOfPassage.length]
  const scores = { ofPages: new Float64Array(pages), ofPassages: new Float64Array(passages) }
  // The weights of one word, used again for the next.
  const weights = { ofPages: new Float64Array(pages), ofPassages: new Float64Array(passages) }
  const counts = new Uint8Array(pages)
  for (const ofWord of matches) {
    if (ofWord.length === 0) continue
    await weigh(index, ofWord, weights, step)
    const having = addPresence(counts, weights.ofPages)
    // The inverse document frequency.
    const rarity = Math.log(1 + pages / Math.max(1, having))
    await step()
    addTimes(scores.ofPages, weights.ofPages, rarity)
    addTimes(scores.ofPassages, weights.ofPassages, rarity)
  }
  await step()
  return { ...scores, counts }
}

/** The numbers of the pages that are not public any more. */
async function withdrawnPages(index: SearchIndex, step: Step): Promise<Set<number>> {
  const withdrawn = new Set<number>()
  await forEachPart(index.pages.length, step, (from, end) => {
    for (let page = from; page < end; page++) if (!isPublicPage(index, page)) withdrawn.add(page)
  })
  return withdrawn
}

function isPublicPage({ pages, isPublic }: SearchIndex, page: number): boolean {
  return isPublic === undefined || isPublic(pages[page]?.path ?? '')
}

/** Whether a word is in a page that is not withdrawn. */
function hasOtherPage({ starts, occurrences, pageOfPassage }: SearchIndex, word: number, withdrawn: Set<number>) {
  const end = starts[word + 1] ?? 0
  for (let at = starts[word] ?? 0; at < end; at++)
    if (!withdrawn.has(pageOfPassage[(occurrences[at] ?? 0) >>> 2] ?? 0)) return true
  return false
}

/** Sets the weight of the best match in each page and in each passage. */
async function weigh(
  { starts, occurrences, pageOfPassage }: SearchIndex,
  matches: Match[],
  { ofPages, ofPassages }: { ofPages: Float64Array; ofPassages: Float64Array },
  step: Step,
): Promise<void> {
  ofPages.fill(0)
  ofPassages.fill(0)
  let weighed = 0
  for (const { word, weight } of matches) {
    const end = starts[word + 1] ?? 0
    weighed += end - (starts[word] ?? 0)
    if (weighed >= NUMBERS_IN_PART) {
      await step()
      weighed = 0
    }
    for (let at = starts[word] ?? 0; at < end; at++) {
      const occurrence = occurrences[at] ?? 0
      const passage = occurrence >>> 2
      const total = weight * (FIELD_WEIGHTS[occurrence & 3] ?? 0)
      raise(ofPassages, passage, total)
      raise(ofPages, pageOfPassage[passage] ?? 0, total)
    }
  }
}

function raise(numbers: Float64Array, index: number, atLeast: number): void {
  if (atLeast > (numbers[index] ?? 0)) numbers[index] = atLeast
}

/** Counts the pages with a weight, in `counts` and as the result. */
function addPresence(counts: Uint8Array, weights: Float64Array): number {
  let having = 0
  for (let page = 0; page < weights.length; page++) {
    if (weights[page] === 0) continue
    counts[page] = (counts[page] ?? 0) + 1
    having++
  }
  return having
}

function addTimes(sums: Float64Array, weights: Float64Array, factor: number): void {
  for (let index = 0; index < sums.length; index++) sums[index] = (sums[index] ?? 0) + (weights[index] ?? 0) * factor
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
  return { page, passage: deserializePassages(page.passages)[ofPage.indexOf(maxOf(ofPage))] as Passage }
}
