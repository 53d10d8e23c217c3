import { mapInBackground } from '../lib/background-turns.ts'
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
  /** The compared fields of each post. */
  posts: Compared[]
  places: Map<string, number[]>
}

/** Indexes the posts. Returns `previous` if no compared text has changed. */
export async function indexRelatedPosts(posts: Comparable[], previous?: RelatedIndex): Promise<RelatedIndex> {
  if (previous && isSame(previous.posts, posts)) return previous
  const places = new Map<string, number[]>()
  const compared = await mapInBackground(posts.entries(), ([place, { title, description, tags }]) => {
    for (const term of termsOf({ title, description, tags })) {
      const known = places.get(term)
      if (known) known.push(place)
      else places.set(term, [place])
    }
    return { title, description, tags }
  })
  return { posts: compared, places }
}

function isSame(previous: Compared[], posts: Compared[]): boolean {
  return previous.length === posts.length && posts.every((post, place) => isUnchanged(previous[place], post))
}

function isUnchanged(previous: Compared | undefined, { title, description, tags }: Compared): boolean {
  return previous?.title === title && previous.description === description && hasSameTags(previous.tags, tags)
}

/** The tags of a file that was not read again are the same object. */
function hasSameTags(previous: Tag[], tags: Tag[]): boolean {
  if (previous === tags) return true
  return previous.length === tags.length && tags.every(({ slug }, place) => slug === previous[place]?.slug)
}

/**
 * Finds the posts that have most in common with the one at a place: tags, and words of titles and descriptions. Rare
 * ones count more (inverse document frequency). Of equals, the newest is first, so the result depends on the posts
 * alone. Posts of the same series are left out, and those of `except`.
 */
export function relatedPosts<Post extends Comparable>(
  { places: placesOf }: RelatedIndex,
  posts: Post[],
  own: number,
  except: (Post | undefined)[] = [],
): Post[] {
  const post = posts[own]
  if (!post) return []
  const series = post.series?.slug
  const found = new Map<number, { score: number; tags: number; words: number }>()
  for (const term of termsOf(post)) {
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

/** The tags, each with a "#" before it, and the longer words of title and description. */
function termsOf({ title, description, tags }: Compared): Set<string> {
  const words = `${title} ${description}`.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u)
  return new Set([...tags.map(({ slug }) => `#${slug}`), ...words.filter((word) => word.length >= MIN_WORD_LETTERS)])
}
