import { documentAddresses } from './content-faults.ts'
import { isPublic, type Library } from './library.ts'
import { BLOG_PATH, listPaths } from './post-lists.ts'

/** The paths of all pages that are made from the content folder. */
export async function siteAddresses(library: Library, now: Date): Promise<Set<string>> {
  const addresses = await documentAddresses(library)
  const posts = library.posts.filter((post) => isPublic(post, now))
  const pages = library.pages.filter((page) => isPublic(page, now))
  const documents = [...posts, ...pages].map(({ file }) => addresses.get(file) ?? '/')
  return new Set(['/', BLOG_PATH, ...documents, ...listPaths(posts)])
}
