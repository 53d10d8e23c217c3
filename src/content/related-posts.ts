import { mapInBackground } from '../lib/cooperative-scheduling.ts'
import { type GroupedNumbers, GrowingArray, groupNumbers } from '../lib/grouped-numbers.ts'
import type { Tag } from './tags.ts'

interface Compared {
  title: string
  description: string
  tags: Tag[]
}

interface Comparable extends Compared {
  series: Tag | undefined
}

const MAX_RELATED = 3
// Of a term that more posts have, only the newest ones are compared. This bounds the time for each post.
const MAX_POSTS_OF_TERM = 200
const TAG_WEIGHT = 3
// Two posts may share one word by chance.
const MIN_COMMON_WORDS = 2
const MIN_WORD_LETTERS = 4

/** The terms of all posts, with the places of the posts that have them. */
export interface RelatedIndex {
  posts: Compared[]
  /** The number of each term. */
  terms: Map<string, number>
  /** The places of the posts that have a term, by its number. */
  places: GroupedNumbers
}

/** Indexes the posts. The terms of `previous` are used again if no compared text has changed. */
export async function indexRelatedPosts(posts: Comparable[], previous?: RelatedIndex): Promise<RelatedIndex> {
  if (previous && isSame(previous.posts, posts)) return { ...previous, posts }
  const terms = new Map<string, number>()
  const [numbers, places] = [new GrowingArray(), new GrowingArray()]
  await mapInBackground(posts.entries(), ([place, post]) => {
    for (const term of termsOf(post)) {
      const number = terms.get(term) ?? terms.size
      terms.set(term, number)
      numbers.push(number)
      places.push(place)
    }
  })
  return { posts, terms, places: groupNumbers(numbers, places, terms.size) }
}

function placesOf({ terms, places: { starts, values } }: RelatedIndex, term: string): Uint32Array {
  const number = terms.get(term)
  return number === undefined ? new Uint32Array() : values.subarray(starts[number], starts[number + 1])
}

function isSame(previous: Compared[], posts: Compared[]): boolean {
  return previous.length === posts.length && posts.every((post, place) => isUnchanged(previous[place], post))
}

/** An unchanged post is the same object in each publication. */
function isUnchanged(previous: Compared | undefined, post: Compared): boolean {
  if (previous === post) return true
  return (
    previous?.title === post.title &&
    previous.description === post.description &&
    previous.tags.length === post.tags.length &&
    post.tags.every(({ slug }, place) => slug === previous.tags[place]?.slug)
  )
}

/**
 * Finds the posts that have most in common with the one at a place: tags, and words of titles and descriptions. Rare
 * ones count more (inverse document frequency). Of equals, the newest is first, so the result depends on the posts
 * alone. Posts of the same series are left out, and those of `except`.
 */
export function relatedPosts<Post extends Comparable>(
  index: RelatedIndex,
  posts: Post[],
  own: number,
  except: (Post | undefined)[] = [],
): Post[] {
  const post = posts[own]
  if (!post) return []
  const series = post.series?.slug
  const found = new Map<number, { score: number; tags: number; words: number }>()
  for (const term of termsOf(post)) {
    const places = placesOf(index, term)
    const isTag = term.startsWith('#')
    const weight = Math.log(1 + posts.length / places.length) * (isTag ? TAG_WEIGHT : 1)
    for (const place of places.subarray(0, MAX_POSTS_OF_TERM)) {
      const { score, tags, words } = found.get(place) ?? { score: 0, tags: 0, words: 0 }
      found.set(place, { score: score + weight, tags: tags + Number(isTag), words: words + Number(!isTag) })
    }
  }
  return [...found]
    .filter(([place, { tags, words }]) => place !== own && (tags > 0 || words >= MIN_COMMON_WORDS))
    .sort(([one, { score: a }], [other, { score: b }]) => b - a || one - other)
    .flatMap(([place]) => posts[place] ?? [])
    .filter((other) => !except.includes(other) && (!series || other.series?.slug !== series))
    .slice(0, MAX_RELATED)
}

/** The tags, each with a "#" before it, and the longer words of title and description. */
function termsOf({ title, description, tags }: Compared): Set<string> {
  const words = `${title} ${description}`.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u)
  return new Set([...tags.map(({ slug }) => `#${slug}`), ...words.filter((word) => word.length >= MIN_WORD_LETTERS)])
}
