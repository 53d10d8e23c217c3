/** Text of another system as one line, without control characters, cut to a number of characters. */
export function oneLine(text: string, maxCharacters: number): string {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .trim()
  return [...clean].slice(0, maxCharacters).join('').trim()
}
