import { Feed } from 'feed'
import { escapeHtml } from '../lib/escape-html.ts'
import { withAddresses } from './addresses.ts'
import type { Site } from './site.ts'
import type { Tag } from './tags.ts'

export interface FeedItem {
  path: string
  title: string
  description: string
  /** The text, with absolute addresses. */
  html: string
  tags: Tag[]
  /** The picture of the post, with its size in bytes. */
  image: { url: string; type: string; length: number } | undefined
  date: Date
  modified: Date
}

// Feed readers fetch the whole feed each time and keep older items themselves.
export const MAX_FEED_ITEMS = 100
/** Of the texts of all items together. Feed readers and this service keep a feed in memory as a whole. */
export const MAX_FEED_CHARACTERS = 4 * 1024 * 1024
/** Of the markdown of one item. A longer text may take seconds to render. */
export const MAX_FEED_ITEM_CHARACTERS = 100_000

/** The posts as RSS 2.0 and as JSON Feed 1.1. `list` is the list of posts that a feed follows, if not all. */
export function createFeeds(
  site: Site,
  baseUrl: string,
  items: FeedItem[],
  updated: Date,
  list?: { path: string; title: string },
): { rss(): string; json(): string } {
  const link = list ? baseUrl + list.path : `${baseUrl}/`
  const folder = baseUrl + (list?.path ?? '')
  const feed = new Feed({
    id: link,
    link,
    title: list ? `${site.title}: ${list.title}` : site.title,
    description: site.description,
    language: site.language,
    updated,
    generator: 'Portico',
    copyright: site.author,
    feedLinks: { rss: `${folder}/feed.xml`, json: `${folder}/feed.json` },
    // The hub is announced as WebSub, section 4 (Discovery), has it.
    ...(site.hub && { hub: site.hub }),
    author: { name: site.author },
  })
  for (const { path, title, description, html, tags, image, date, modified } of items) {
    const link = baseUrl + path
    feed.addItem({
      id: link,
      guid: link,
      link,
      title,
      description,
      content: html,
      date: modified,
      published: date,
      ...(image && { image }),
      category: tags.map(({ name }) => ({ name })),
    })
  }
  return { rss: () => feed.rss2(), json: () => asVersion1_1(feed.json1(), site) }
}

/** Converts JSON Feed 1, which the library writes, to version 1.1: `authors` replaces `author`, `language` is new. */
function asVersion1_1(json: string, { author, language, hub }: Site): string {
  const { author: _author, ...feed } = JSON.parse(json)
  return JSON.stringify({
    ...feed,
    version: 'https://jsonfeed.org/version/1.1',
    language,
    authors: [{ name: author }],
    ...(hub && { hubs: [{ type: 'WebSub', url: hub }] }),
  })
}

/** In the place of a text that is too long for the feed. */
export function shortItem(link: string, title: string): string {
  return `<p><a href="${escapeHtml(link)}">${escapeHtml(title)}</a></p>`
}

/** HTML for feed readers: relative addresses become absolute, and the anchor links of headings are removed. */
export function forFeedReaders(html: string, page: string): string {
  return withAddresses(html.replace(/<a class="anchor"[^<>]*>#<\/a>/g, ''), page, ({ href }) => href)
}
