import { type Part, partsByYear } from './parts-by-year.ts'

// A model's context has room for a few of these. The response cache holds them several times, compressed.
const MAX_CHARACTERS = 1_000_000

/** Posts whose text has a file of its own, at this path. */
export interface FullTextPart<Post> extends Part<Post> {
  path: string
}

/** The parts of posts that are too long together for `/llms-full.txt`. Empty if that file has them all. */
export function fullTextParts<Post extends { date: Date }>(
  posts: Post[],
  sizeOf: (post: Post) => number,
): FullTextPart<Post>[] {
  if (posts.reduce((sum, post) => sum + sizeOf(post), 0) <= MAX_CHARACTERS) return []
  return partsByYear(posts, sizeOf, MAX_CHARACTERS).map((part) => ({ ...part, path: `/llms-full/${part.name}.txt` }))
}
