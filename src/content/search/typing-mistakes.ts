/**
 * Whether at most this many mistakes turn one word into the other: a letter too many, too few or wrong, or two
 * adjacent letters transposed (the optimal string alignment distance). Each mistake is one of these four edits, so that
 * the work for two mistakes is bounded by sixteen times the length of the words.
 */
export function isWithinMistakes(one: string, other: string, mistakes: number, at = 0, otherAt = 0): boolean {
  let [start, otherStart] = [at, otherAt]
  while (start < one.length && one.charCodeAt(start) === other.charCodeAt(otherStart)) {
    start++
    otherStart++
  }
  const [left, otherLeft] = [one.length - start, other.length - otherStart]
  if (Math.abs(left - otherLeft) > mistakes) return false
  if (left === 0 || otherLeft === 0) return true
  if (mistakes === 0) return false
  const isExchanged =
    one.charCodeAt(start) === other.charCodeAt(otherStart + 1) &&
    one.charCodeAt(start + 1) === other.charCodeAt(otherStart)
  return (
    isWithinMistakes(one, other, mistakes - 1, start + 1, otherStart + 1) ||
    isWithinMistakes(one, other, mistakes - 1, start + 1, otherStart) ||
    isWithinMistakes(one, other, mistakes - 1, start, otherStart + 1) ||
    (isExchanged && isWithinMistakes(one, other, mistakes - 1, start + 2, otherStart + 2))
  )
}

/** The letters of a word as a set of bits. Letters outside of ASCII share bits. */
export function lettersOf(word: string): number {
  let letters = 0
  for (let index = 0; index < word.length; index++) letters |= 1 << (word.charCodeAt(index) & 31)
  return letters
}

/** Whether two words differ by too many letters for this many mistakes. A mistake changes two letters at most. */
export function differByLetters(letters: number, others: number, mistakes: number): boolean {
  let different = letters ^ others
  // Clears the lowest bit at each step.
  for (let count = 2 * mistakes; count > 0 && different !== 0; count--) different &= different - 1
  return different !== 0
}
