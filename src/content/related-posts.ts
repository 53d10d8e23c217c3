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

/**
 * Finds the posts that have most in common with a post: tags, and words of titles and descriptions. Rare ones count more
 * (inverse document frequency). Of equals, the newest is first, so the result depends on the posts alone. Posts of the same
 * series are left out, and those of `except`. The index is built at the first call, in a time that grows with the length of all titles.
 */
export function createRelatedPosts<Post extends Comparable>(posts: Post[]) {
  let index: Map<string, number[]> | undefined

  return (post: Post, except: (Post | undefined)[] = []): Post[] => {
    index ??= indexOf(posts)
    const found = new Map<number, { score: number; tags: number; words: number }>()
    for (const term of termsOf(post)) {
      const places = index.get(term) ?? []
      const isTag = term.startsWith('#')
      const weight = Math.log(1 + posts.length / places.length) * (isTag ? TAG_WEIGHT : 1)
      for (const place of places.slice(0, MAX_POSTS_OF_TERM)) {
        const { score, tags, words } = found.get(place) ?? { score: 0, tags: 0, words: 0 }
        found.set(place, { score: score + weight, tags: tags + Number(isTag), words: words + Number(!isTag) })
      }
    }
    return [...found]
      .filter(([, { tags, words }]) => tags > 0 || words >= MIN_COMMON_WORDS)
      .sort(([one, { score: a }], [other, { score: b }]) => b - a || one - other)
      .flatMap(([place]) => posts[place] ?? [])
      .filter(
        (other) =>
          other !== post && !except.includes(other) && (!post.series || other.series?.slug !== post.series.slug),
      )
      .slice(0, MAX_RELATED)
  }
}

function indexOf(posts: Comparable[]): Map<string, number[]> {
  const index = new Map<string, number[]>()
  for (const [place, post] of posts.entries()) {
    for (const term of termsOf(post)) {
      const places = index.get(term)
      if (places) places.push(place)
      else index.set(term, [place])
    }
  }
  return index
}

/** The tags, each with a "#" before it, and the longer words. */
function termsOf({ title, description, tags }: Comparable): Set<string> {
  const words = `${title} ${description}`.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u)
  return new Set([...tags.map(({ slug }) => `#${slug}`), ...words.filter((word) => word.length >= MIN_WORD_LETTERS)])
}
