import { groupByYear, type ItemGroup } from './group-by-year.ts'

// The context window of a language model has room for a few of these texts. The response cache has each of them in
// several encodings.
const MAX_CHARACTERS = 1_000_000

/** Posts whose text has a file of its own, at this path. */
export interface FullTextGroup<Post> extends ItemGroup<Post> {
  path: string
}

/** The groups of posts that are too long together for `/llms-full.txt`. Empty if that file has them all. */
export function fullTextGroups<Post extends { date: Date }>(
  posts: Post[],
  sizeOf: (post: Post) => number,
): FullTextGroup<Post>[] {
  if (posts.reduce((sum, post) => sum + sizeOf(post), 0) <= MAX_CHARACTERS) return []
  return groupByYear(posts, sizeOf, MAX_CHARACTERS).map((group) => ({ ...group, path: `/llms-full/${group.name}.txt` }))
}
