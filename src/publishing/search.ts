import { buildSearchIndex, type SearchIndex } from '../content/search/search-index.ts'
import { backgroundSteps, mapInBackground } from '../lib/background-turns.ts'
import { longDate } from '../lib/dates.ts'
import type { PublishedPage } from '../pages/site-pages.ts'
import type { Publication } from './publication.ts'

/** The index of all published pages and posts. At equal scores, pages rank before posts. Rejects on abort. */
export async function indexSite(
  { published: { posts, pages, sections }, frame: { site } }: Pick<Publication, 'published' | 'frame'>,
  passagesOf: (document: { file: string }) => string,
  signal: AbortSignal,
  previous?: SearchIndex,
): Promise<SearchIndex> {
  const labels = new Map(sections.flatMap(({ title, pages }) => pages.map(({ path }) => [path, title])))
  const searched = [
    // The title of the home page is optional: the site's title is the fallback.
    ...pages.map((page) => searchedPage({ ...page, title: page.title || site.title }, labels.get(page.path) ?? '')),
    ...(await mapInBackground(posts, (post) => searchedPage(post, longDate(post.date)), signal)),
  ]
  return buildSearchIndex(searched, backgroundSteps(signal), previous)

  function searchedPage({ file, path, title, description, tags, series }: PublishedPage, label: string) {
    const tagNames = [...tags, ...(series ? [series] : [])].map(({ name }) => name).join(' ')
    return { path, title, description, label, tags: tagNames, passages: passagesOf({ file }) }
  }
}
