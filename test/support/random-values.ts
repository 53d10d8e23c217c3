import fc from 'fast-check'

/** Any colour in the notation `#rrggbb`. */
export const hexColour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`)

const SYLLABLES =
  'ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ra re ri ro sa se ta te ti to'.split(' ')

/** A source of texts with a vocabulary of `words` words. Equal calls return equal texts. */
export function createRandomWords(words: number) {
  let seed = 1
  const vocabulary = Array.from({ length: words }, (_, number) => {
    let word = ''
    for (let rest = number + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
      word += SYLLABLES[rest % SYLLABLES.length]
    return word
  })
  const random = () => {
    seed = (seed * 1_664_525 + 1_013_904_223) >>> 0
    return seed / 2 ** 32
  }
  /** Few words are frequent and many are rare, as in a language (Zipf's law). */
  const word = () => vocabulary[Math.floor(words ** random())] ?? ''
  return { vocabulary, random, word, text: (count: number) => Array.from({ length: count }, word).join(' ') }
}
