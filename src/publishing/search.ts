import { setImmediate } from 'node:timers/promises'
import { buildSearchIndex, type SearchIndex } from '../content/search/search-index.ts'
import type { Site } from '../content/site.ts'
import { longDate } from '../lib/dates.ts'
import type { PublishedSection } from '../pages/sections.ts'
import type { PublishedPage, PublishedPost } from '../pages/site-pages.ts'

interface Published {
  posts: PublishedPost[]
  pages: PublishedPage[]
  sections: PublishedSection[]
  site: Site
}

/** The index of all published pages and posts. Pages are first among equals. */
export function indexSite({ posts, pages, sections, site }: Published, former?: SearchIndex): Promise<SearchIndex> {
  const labels = new Map(sections.flatMap(({ title, pages }) => pages.map(({ path }) => [path, title])))
  const searched = [
    // The title of the home page is optional: the site's title is the fallback.
    ...pages.map((page) => searchedPage({ ...page, title: page.title || site.title }, labels.get(page.path) ?? '')),
    ...posts.map((post) => searchedPage(post, longDate(post.date))),
  ]
  return buildSearchIndex(searched, setImmediate, former)
}

function searchedPage({ path, title, description, passages }: PublishedPage, label: string) {
  return { path, title, description, label, passages }
}
