import { wordsIn } from './words.ts'

/** A piece of a text, which the query matches or not. */
export interface Piece {
  text: string
  isMatch: boolean
}

const EXCERPT_CHARACTERS = 200
const BEFORE_MATCH_CHARACTERS = 50
// A match after this is not shown, so that the excerpts of long texts take little time.
const MAX_READ_CHARACTERS = 10_000

/** The text in pieces, divided at its matches. */
export function markMatches(text: string, isMatch: (word: string) => boolean): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { word, start, end } of wordsIn(text)) {
    if (!isMatch(word)) continue
    if (start > from) pieces.push({ text: text.slice(from, start), isMatch: false })
    pieces.push({ text: text.slice(start, end), isMatch: true })
    from = end
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMatch: false })
  return pieces
}

/** A part of the text around the match that has the most different matches after it. */
export function excerptOf(text: string, isMatch: (word: string) => boolean): Piece[] {
  const words = wordsIn(text.slice(0, MAX_READ_CHARACTERS))
  const found = words.filter(({ word }) => isMatch(word))
  const [best] = found
    .map(({ start }, index) => ({ start, matches: matchesAfter(index) }))
    .sort((a, b) => b.matches - a.matches)
  const wanted = Math.max(0, (best?.start ?? 0) - BEFORE_MATCH_CHARACTERS)
  // Begins and ends with whole words.
  const start = wanted === 0 ? 0 : (words.find((word) => word.start >= wanted)?.start ?? 0)
  const end = text.length - start <= EXCERPT_CHARACTERS ? text.length : lastEnd(start + EXCERPT_CHARACTERS)
  const pieces = markMatches(text.slice(start, end), isMatch)
  return [
    ...(start > 0 ? [{ text: '… ', isMatch: false }] : []),
    ...pieces,
    ...(end < text.length ? [{ text: ' …', isMatch: false }] : []),
  ]

  function matchesAfter(index: number): number {
    const limit = (found[index]?.start ?? 0) + EXCERPT_CHARACTERS - BEFORE_MATCH_CHARACTERS
    const inside = new Set<string>()
    for (let at = index; at < found.length && (found[at]?.start ?? limit) < limit; at++)
      inside.add(found[at]?.word ?? '')
    return inside.size
  }

  function lastEnd(limit: number): number {
    return words.findLast(({ end }) => end <= limit && end > limit - EXCERPT_CHARACTERS)?.end ?? limit
  }
}
