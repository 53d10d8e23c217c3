import { API_CATALOG_PATH, API_CATALOG_TYPE, apiCatalogHeaders, createApiCatalog } from '../content/api-catalog.ts'
import type { Calendar } from '../content/calendar-days.ts'
import {
  createFeeds,
  type FeedItem,
  forFeedReaders,
  MAX_FEED_CHARACTERS,
  MAX_FEED_ITEM_CHARACTERS,
  MAX_FEED_ITEMS,
  shortItem,
} from '../content/feeds.ts'
import { createLlms } from '../content/llms.ts'
import { ARCHIVE_PATH, type PostLists, SERIES_PATH, seriesPath, TAGS_PATH, yearPath } from '../content/post-lists.ts'
import { createRobots } from '../content/robots.ts'
import { createSitemap } from '../content/sitemap.ts'
import { type Tag, tagFeedPaths, tagPath } from '../content/tags.ts'
import { accentColours } from '../lib/accent.ts'
import { mapOneByOne } from '../lib/one-by-one.ts'
import { contributionGraph } from '../pages/graph.ts'
import { Html, html } from '../pages/html.ts'
import { type Frame, markdownPath } from '../pages/layout.ts'
import type { PublishedSection } from '../pages/sections.ts'
import type { PlannedPage, PublishedPage, PublishedPost } from '../pages/site-pages.ts'
import { graphStyles } from '../pages/styles.ts'
import type { PlannedFile } from './page-variants.ts'

const TEXT = 'text/plain; charset=utf-8'
const RSS = 'application/rss+xml; charset=utf-8'
const JSON_FEED = 'application/feed+json; charset=utf-8'

/** The feeds of all posts. */
export const FEED_PATHS = ['/feed.xml', '/feed.json']

interface Published {
  posts: PublishedPost[]
  sections: PublishedSection[]
  /** The pages that are in no section. */
  pages: PublishedPage[]
  lists: PostLists<PublishedPost>
}

/** The generated text files beside the pages: feeds, sitemap, guidance for agents, the API catalog and robots.txt. */
export function publicFiles(
  frame: Frame,
  plans: Pick<PlannedPage, 'path' | 'modified' | 'isContinuation'>[],
  { posts, sections, pages, lists: groups }: Published,
  updated: Date,
  hasMailbox: boolean,
): PlannedFile[] {
  const { site, baseUrl } = frame
  const lists = {
    sections: sections.map(({ title, pages }) => ({ title, items: pages })),
    posts,
    pages,
    postLists: postListsOf(groups).map(([title, path]) => ({
      title,
      markdownUrl: baseUrl + markdownPath(path),
      description: '',
    })),
  }
  return [
    { path: '/feed.xml', type: RSS, content: async () => (await feeds()).rss() },
    { path: '/feed.json', type: JSON_FEED, content: async () => (await feeds()).json() },
    { path: '/sitemap.xml', type: 'application/xml; charset=utf-8', content: sitemap },
    ...createLlms(site, baseUrl, lists, hasMailbox).map(({ path, text }) => ({ path, type: TEXT, content: text })),
    { path: '/robots.txt', type: TEXT, content: () => createRobots(site, baseUrl) },
    {
      path: API_CATALOG_PATH,
      type: API_CATALOG_TYPE,
      content: () => createApiCatalog(baseUrl),
      headers: apiCatalogHeaders(baseUrl),
    },
  ]

  function sitemap(): string {
    return createSitemap(
      baseUrl,
      plans.filter(({ isContinuation }) => !isContinuation),
    )
  }

  async function feeds() {
    return createFeeds(site, baseUrl, await feedItems(baseUrl, posts), updated)
  }
}

/** The titles and paths of all lists of posts. */
function postListsOf({ years, tags, series }: PostLists<unknown>): [title: string, path: string][] {
  const groups: { name: string; path: string; lists: [title: string, path: string][] }[] = [
    { name: 'Posts by year', path: ARCHIVE_PATH, lists: years.map(({ year }) => [`Posts of ${year}`, yearPath(year)]) },
    {
      name: 'Series of posts',
      path: SERIES_PATH,
      lists: series.map(({ series }) => [`Series: ${series.name}`, seriesPath(series)]),
    },
    { name: 'Posts by tag', path: TAGS_PATH, lists: tags.map(({ tag }) => [`Posts about ${tag.name}`, tagPath(tag)]) },
  ]
  return groups.flatMap(({ name, path, lists }) => (lists.length > 0 ? [[name, path], ...lists] : []))
}

/** The feeds of each tag, below the path of its page. */
export function tagFeeds(
  { site, baseUrl }: Frame,
  tags: { tag: Tag; posts: PublishedPost[] }[],
  latestOf: (posts: PublishedPost[]) => Date,
): PlannedFile[] {
  return tags.flatMap(({ tag, posts }) => {
    const list = { path: tagPath(tag), title: tag.name }
    const feeds = async () => createFeeds(site, baseUrl, await feedItems(baseUrl, posts), latestOf(posts), list)
    const { rss, json } = tagFeedPaths(tag)
    return [
      { path: rss, type: RSS, content: async () => (await feeds()).rss() },
      { path: json, type: JSON_FEED, content: async () => (await feeds()).json() },
    ]
  })
}

/** The posts that a feed of these posts has as a whole, if they fit together. */
export function postsInFeed(posts: PublishedPost[]): PublishedPost[] {
  return posts.slice(0, MAX_FEED_ITEMS).filter(({ source }) => source.length <= MAX_FEED_ITEM_CHARACTERS)
}

/**
 * The items of a feed. A post has a link in place of its text if the text is longer than MAX_FEED_ITEM_CHARACTERS, or
 * if the texts of the feed would be longer than MAX_FEED_CHARACTERS together. The length of the markdown is compared
 * first, so that such a post is not rendered. Other posts that cannot be rendered are left out.
 */
async function feedItems(baseUrl: string, posts: PublishedPost[]): Promise<FeedItem[]> {
  let left = MAX_FEED_CHARACTERS
  const items = await mapOneByOne(posts.slice(0, MAX_FEED_ITEMS), async (post): Promise<FeedItem[]> => {
    const cover = post.cover()
    const image = cover && { url: cover.url, type: cover.type, length: cover.bytes }
    const link = baseUrl + post.path
    const short = { ...post, html: shortItem(link, post.title), image }
    if (post.source.length > Math.min(left, MAX_FEED_ITEM_CHARACTERS)) return [short]
    const body = await post.body().catch(() => undefined)
    if (!body) return []
    const feedHtml = body.feedHtml()
    if (feedHtml.length > left) return [short]
    left -= feedHtml.length
    return [{ ...post, html: forFeedReaders(feedHtml, link), image }]
  })
  return items.flat()
}

/** The contribution graph as an SVG file with its own styles. */
export function graphFile(calendar: Calendar, accent: string): PlannedFile {
  const style = html`<style>${new Html(graphStyles(accent))}</style>`
  const content = () => contributionGraph(calendar, style).text
  return { path: '/contributions.svg', type: 'image/svg+xml', content }
}

/** The default icon of a site, in its accent colour. */
export function favicon(accent: string): string {
  const { light, dark } = accentColours(accent)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>path{fill:${light.accent}}@media(prefers-color-scheme:dark){path{fill:${dark.accent}}}</style><path d="M16 3 3 10v3h26v-3zM6 15h4v10H6zm8 0h4v10h-4zm8 0h4v10h-4zM3 26h26v3H3z"/></svg>
`
}
