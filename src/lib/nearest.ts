/** The word that a misspelled one was probably meant to be, in whatever case it is written. */
export function nearest<const T extends string>(word: string, words: readonly T[]): T | undefined {
  let best: { known: T; edits: number } | undefined
  for (const known of words) {
    const edits = distance(word.toLowerCase(), known.toLowerCase())
    if (edits <= (known.length > 4 ? 2 : 1) && edits < (best?.edits ?? Number.POSITIVE_INFINITY))
      best = { known, edits }
  }
  return best?.known
}

/** How many letters have to be put in, left out or changed to make one word of the other. */
function distance(one: string, other: string): number {
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
