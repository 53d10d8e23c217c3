/** A word of a text, with the places at which it begins and ends. */
export interface Word {
  /** In lower case and without accents, so that "Café" and "cafe" are the same word. */
  word: string
  start: number
  end: number
}

const RUN = /[\p{L}\p{M}\p{N}_]+/gu
// Chinese and Japanese are written without spaces: each of these characters is a word.
const IDEOGRAPH = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/u
const IDEOGRAPH_OR_REST = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+/gu
const NOT_ASCII = /[^\0-\x7f]/
// Longer runs of letters are data, such as a hash in base64url.
const MAX_WORD_CHARACTERS = 60

/** The words of a text, in their order. */
export function wordsIn(text: string): Word[] {
  const words: Word[] = []
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (!NOT_ASCII.test(run)) add(run.toLowerCase(), index, run.length)
    else if (!IDEOGRAPH.test(run)) add(withoutAccents(run), index, run.length)
    else
      for (const { 0: part, index: offset } of run.matchAll(IDEOGRAPH_OR_REST))
        add(withoutAccents(part), index + offset, part.length)
  }
  return words

  function add(word: string, start: number, length: number): void {
    if (word && length <= MAX_WORD_CHARACTERS) words.push({ word, start, end: start + length })
  }
}

function withoutAccents(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

/** The words by which a word is found: itself, and the parts of a name such as DATABASE_URL. */
export function spellingsOf(word: string): string[] {
  return word.includes('_') ? [word, ...word.split('_').filter(Boolean)] : [word]
}
