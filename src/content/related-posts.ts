import { mapInSteps } from '../lib/one-by-one.ts'
import type { Tag } from './tags.ts'

interface Comparable {
  title: string
  description: string
  tags: Tag[]
  series: Tag | undefined
}

const MAX_RELATED = 3
// A term of more posts than this says little. Only its newest posts are compared, so the work for a post is limited.
const MAX_POSTS_OF_TERM = 200
const TAG_WEIGHT = 3
// One common word may be chance.
const MIN_COMMON_WORDS = 2
const MIN_WORD_LETTERS = 4

/** The terms of all posts, with the places of the posts that have them. */
export interface RelatedIndex {
  /** The compared text of each post. */
  texts: string[]
  places: Map<string, number[]>
}

/** Indexes the posts. Returns `former` if no compared text has changed. */
export async function indexRelatedPosts(posts: Comparable[], former?: RelatedIndex): Promise<RelatedIndex> {
  const texts = await mapInSteps(posts, textOf)
  if (former?.texts.length === texts.length && texts.every((text, place) => text === former.texts[place])) return former
  const places = new Map<string, number[]>()
  await mapInSteps(texts.entries(), ([place, text]) => {
    for (const term of termsIn(text)) {
      const known = places.get(term)
      if (known) known.push(place)
      else places.set(term, [place])
    }
  })
  return { texts, places }
}

/**
 * Finds the posts that have most in common with the one at a place: tags, and words of titles and descriptions. Rare ones
 * count more (inverse document frequency). Of equals, the newest is first, so the result depends on the posts alone.
 * Posts of the same series are left out, and those of `except`.
 */
export function relatedPosts<Post extends Comparable>(
  { texts, places: placesOf }: RelatedIndex,
  posts: Post[],
  own: number,
  except: (Post | undefined)[] = [],
): Post[] {
  const series = posts[own]?.series?.slug
  const found = new Map<number, { score: number; tags: number; words: number }>()
  for (const term of termsIn(texts[own] ?? '')) {
    const places = placesOf.get(term) ?? []
    const isTag = term.startsWith('#')
    const weight = Math.log(1 + posts.length / places.length) * (isTag ? TAG_WEIGHT : 1)
    for (const place of places.slice(0, MAX_POSTS_OF_TERM)) {
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

// A character that no file has.
const SEPARATOR = '\0'

/** The tags, each with a "#" before it, and then title and description. */
function textOf({ title, description, tags }: Comparable): string {
  return [...tags.map(({ slug }) => `#${slug}`), `${title} ${description}`].join(SEPARATOR)
}

/** The tags and the longer words. */
function termsIn(text: string): Set<string> {
  const tags = text.split(SEPARATOR)
  const words = (tags.pop() ?? '').toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u)
  return new Set([...tags, ...words.filter((word) => word.length >= MIN_WORD_LETTERS)])
}
