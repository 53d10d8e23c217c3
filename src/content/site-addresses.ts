import { documentAddresses } from './content-faults.ts'
import { fullTextGroups } from './full-text-groups.ts'
import { isPublic, type Library } from './library.ts'
import { BLOG_PATH, groupPosts, listPaths, pathsOf } from './post-lists.ts'
import { tagFeedPaths } from './tags.ts'

/**
 * The paths of all pages that are made from the content folder, and of the files that depend on its posts: the feeds of
 * tags and the parts of the full text.
 */
export async function siteAddresses(library: Library, now: Date): Promise<{ pages: Set<string>; files: Set<string> }> {
  const addresses = await documentAddresses(library)
  const posts = library.posts.filter((post) => isPublic(post, now))
  const pages = library.pages.filter((page) => isPublic(page, now))
  const documents = [...posts, ...pages].map(({ file }) => addresses.get(file) ?? '/')
  const lists = await groupPosts(posts)
  return {
    pages: new Set(['/', BLOG_PATH, ...documents, ...pathsOf(BLOG_PATH, posts), ...listPaths(lists)]),
    files: new Set([
      ...lists.tags.flatMap(({ tag }) => Object.values(tagFeedPaths(tag))),
      ...fullTextGroups(posts, ({ markdown }) => markdown.length).map(({ path }) => path),
    ]),
  }
}
