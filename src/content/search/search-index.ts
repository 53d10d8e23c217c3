import { GrowingArray, groupNumbers } from '../../lib/grouped-numbers.ts'
import { deserializePassages, type SerializedPassages } from './passages.ts'
import { lettersOf } from './typing-mistakes.ts'
import { spellingsOf, wordsIn } from './words.ts'

/** A page or post that can be found. */
export interface SearchedPage {
  path: string
  title: string
  description: string
  /** Shown in the results beside the title, such as the section of a page or the date of a post. */
  label: string
  /** The names of its tags and of its series, with spaces between them. */
  tags: string
  passages: SerializedPassages
}

/** The fields in which a word can occur in a passage. The number of a field has two bits. */
const FIELDS = { text: 0, frequentText: 1, heading: 2, title: 3 } as const
const MIN_FREQUENT_OCCURRENCES = 3
// Each is larger than the sum of the weights of all words in the fields below it.
const HEADING_WEIGHT = 1e6
const TITLE_WEIGHT = 1e9

/**
 * An inverted index of all passages. The occurrences of a word are in typed arrays of four bytes each, because a map
 * would take ten times as much memory. The words are not sorted: a search reads all of them, which takes a millisecond
 * for 100,000 words.
 */
export interface InvertedIndex {
  words: string[]
  /** The letters of each word, as bits, which exclude most words from the search for typing mistakes. */
  letters: Uint32Array<ArrayBuffer>
  /** The occurrences of word `n` begin at `starts[n]` and end before `starts[n + 1]`. */
  starts: Uint32Array<ArrayBuffer>
  /** The number of a passage, times four, plus the number of the field. */
  occurrences: Uint32Array<ArrayBuffer>
  /** The passages of page `n` begin at `firstPassages[n]` and end before `firstPassages[n + 1]`. */
  firstPassages: Uint32Array<ArrayBuffer>
  /** The number of the page of each passage. */
  pageOfPassage: Uint32Array<ArrayBuffer>
}

/** The index of these pages. */
export interface SearchIndex extends InvertedIndex {
  pages: SearchedPage[]
  /** Whether the page at a path is still public. A page may have been withdrawn since the index was built. */
  isPublic?: (path: string) => boolean
}

/** Builds an index. `finish` returns the index of the added pages, in their order. */
export function createIndexBuilder(): { add(page: SearchedPage): void; finish(): InvertedIndex } {
  const numbers = new Map<string, number>()
  const [letters, wordNumbers, occurrences] = [new GrowingArray(), new GrowingArray(), new GrowingArray()]
  const [firstPassages, pageOfPassage] = [new GrowingArray(), new GrowingArray()]

  return {
    add(page) {
      const number = firstPassages.length
      firstPassages.push(pageOfPassage.length)
      for (const words of wordsOf(page)) {
        for (const [word, weight] of words) {
          const known = numbers.get(word) ?? numbers.size
          if (known === numbers.size) {
            numbers.set(word, known)
            letters.push(lettersOf(word))
          }
          wordNumbers.push(known)
          occurrences.push(pageOfPassage.length * 4 + fieldOf(weight))
        }
        pageOfPassage.push(number)
      }
    },
    finish() {
      firstPassages.push(pageOfPassage.length)
      const sorted = groupNumbers(wordNumbers, occurrences, numbers.size)
      return {
        words: [...numbers.keys()],
        letters: letters.toArray(),
        starts: sorted.starts,
        occurrences: sorted.values,
        firstPassages: firstPassages.toArray(),
        pageOfPassage: pageOfPassage.toArray(),
      }
    },
  }
}

/** The words of each passage of a page, with their weights. The first passage has the fields of the front matter. */
function wordsOf({ title, tags, description, passages }: SearchedPage): Map<string, number>[] {
  return deserializePassages(passages).map(({ heading, text }, index) => {
    const weights = new Map<string, number>()
    if (index > 0) return weighWords(weighWords(weights, heading, HEADING_WEIGHT), text, 1)
    weighWords(weights, title, TITLE_WEIGHT)
    weighWords(weights, tags, HEADING_WEIGHT)
    return weighWords(weights, `${description} ${text}`, 1)
  })
}

/** Adds the occurrences of each word, multiplied by the weight of their field. */
function weighWords(weights: Map<string, number>, text: string, weight: number): Map<string, number> {
  for (const { word } of wordsIn(text)) {
    for (const spelling of spellingsOf(word)) weights.set(spelling, (weights.get(spelling) ?? 0) + weight)
  }
  return weights
}

function fieldOf(weight: number): number {
  if (weight >= HEADING_WEIGHT) return weight >= TITLE_WEIGHT ? FIELDS.title : FIELDS.heading
  return weight >= MIN_FREQUENT_OCCURRENCES ? FIELDS.frequentText : FIELDS.text
}
