/**
 * Whether one mistake turns one word into the other: a letter too many, too few or wrong, or two neighbours exchanged
 * (a Damerau-Levenshtein distance of 1). Takes time proportional to the length of the words.
 */
export function isOneMistakeAway(one: string, other: string): boolean {
  const extra = other.length - one.length
  if (extra > 1 || extra < -1) return false
  if (extra < 0) return isOneMistakeAway(other, one)
  let start = 0
  while (start < one.length && one.charCodeAt(start) === other.charCodeAt(start)) start++
  let end = one.length
  while (end > start && one.charCodeAt(end - 1) === other.charCodeAt(end - 1 + extra)) end--
  const differing = end - start
  if (extra === 1) return differing === 0
  return differing === 1 || (differing === 2 && one[start] === other[start + 1] && one[start + 1] === other[start])
}
