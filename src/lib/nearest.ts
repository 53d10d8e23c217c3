/**
 * The candidate with the smallest edit distance to a misspelt word, ignoring case. Undefined if none is within two
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

/** The Levenshtein distance, in which two exchanged neighbours are one edit too (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1]
    for (let index = 1; index <= other.length; index++) {
      const changed = (row[index - 1] ?? 0) + (one[at] === other[index - 1] ? 0 : 1)
      const isExchanged = index > 1 && at > 0 && one[at] === other[index - 2] && one[at - 1] === other[index - 1]
      const exchanged = isExchanged ? (before[index - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(changed, exchanged, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
