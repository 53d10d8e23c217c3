/**
 * The candidate with the smallest edit distance to a misspelled word, ignoring case. Undefined if none is within two
 * edits, or within one for a candidate of up to four letters.
 */
export function nearest<const T extends string>(word: string, candidates: readonly T[]): T | undefined {
  let best: { candidate: T; edits: number } | undefined
  for (const candidate of candidates) {
    const limit = candidate.length > 4 ? 2 : 1
    // Each letter more or less is an edit.
    if (Math.abs(word.length - candidate.length) > limit) continue
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (edits <= limit && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { candidate, edits }
  }
  return best?.candidate
}

/** The Levenshtein distance. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const letter of one) {
    const next = [(row[0] ?? 0) + 1]
    for (let index = 1; index <= other.length; index++) {
      const changed = (row[index - 1] ?? 0) + (letter === other[index - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
