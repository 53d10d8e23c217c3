import { setImmediate } from 'node:timers/promises'
import type { Passage } from '../content/search/passages.ts'
import { buildSearchIndex, type SearchIndex } from '../content/search/search-index.ts'
import { longDate } from '../lib/dates.ts'
import type { PublishedPage } from '../pages/site-pages.ts'
import type { Publication } from './publication.ts'

/** The index of all published pages and posts. Pages are first among equals. Rejects when the signal is aborted. */
export function indexSite(
  { published: { posts, pages, sections }, frame: { site } }: Pick<Publication, 'published' | 'frame'>,
  passagesOf: (document: { file: string }) => Passage[],
  signal: AbortSignal,
  former?: SearchIndex,
): Promise<SearchIndex> {
  const labels = new Map(sections.flatMap(({ title, pages }) => pages.map(({ path }) => [path, title])))
  const searched = [
    // The title of the home page is optional: the site's title is the fallback.
    ...pages.map((page) => searchedPage({ ...page, title: page.title || site.title }, labels.get(page.path) ?? '')),
    ...posts.map((post) => searchedPage(post, longDate(post.date))),
  ]
  return buildSearchIndex(searched, () => setImmediate(undefined, { signal }), former)

  function searchedPage({ file, path, title, description }: PublishedPage, label: string) {
    return { path, title, description, label, passages: passagesOf({ file }) }
  }
}
