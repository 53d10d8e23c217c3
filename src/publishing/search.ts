import { setImmediate } from 'node:timers/promises'
import { buildSearchIndex } from '../content/search/build-search-index.ts'
import { type Found, findPages } from '../content/search/find-pages.ts'
import type { SerializedPassages } from '../content/search/passages.ts'
import type { SearchIndex } from '../content/search/search-index.ts'
import { createConcurrencyLimit } from '../http/concurrency-limit.ts'
import { mapInBackground, runWithPriority } from '../lib/cooperative-scheduling.ts'
import { longDate } from '../lib/dates.ts'
import type { PublishedPage } from '../pages/site-pages.ts'
import type { Publication } from './publication.ts'

// A query of a large site can take 25 ms, so the last one waits for 2.5 s.
const MAX_QUEUED_QUERIES = 100

/**
 * Runs one query at a time, while background work pauses. The event loop handles other requests between two queries,
 * and between the steps of one. A query beyond MAX_QUEUED_QUERIES is refused with 503.
 */
export function createQueryQueue(): (index: SearchIndex, query: string) => Promise<Found> {
  const withSlot = createConcurrencyLimit({ maxConcurrent: 1, maxQueued: MAX_QUEUED_QUERIES })
  const run = async (index: SearchIndex, query: string) => {
    await setImmediate()
    return findPages(index, query)
  }
  return (index, query) => withSlot(() => runWithPriority(() => run(index, query)))
}

/** The index of all published pages and posts. At equal scores, pages rank before posts. Rejects on abort. */
export async function indexSite(
  { published: { posts, pages, sections }, frame: { site } }: Pick<Publication, 'published' | 'frame'>,
  passagesOf: (document: { file: string }) => SerializedPassages,
  signal: AbortSignal,
  previous?: SearchIndex,
): Promise<SearchIndex> {
  const labels = new Map(sections.flatMap(({ title, pages }) => pages.map(({ path }) => [path, title])))
  const searched = [
    // The title of the home page is optional: the site's title is the fallback.
    ...pages.map((page) => searchedPage({ ...page, title: page.title || site.title }, labels.get(page.path) ?? '')),
    ...(await mapInBackground(posts, (post) => searchedPage(post, longDate(post.date)), signal)),
  ]
  return buildSearchIndex(searched, signal, previous)

  function searchedPage({ file, path, title, description, tags, series }: PublishedPage, label: string) {
    const tagNames = [...tags, ...(series ? [series] : [])].map(({ name }) => name).join(' ')
    return { path, title, description, label, tags: tagNames, passages: passagesOf({ file }) }
  }
}
