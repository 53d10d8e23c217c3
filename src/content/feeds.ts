import { Feed } from 'feed'
import { withAddresses } from './addresses.ts'
import type { Site } from './site.ts'
import type { Tag } from './tags.ts'

export interface FeedItem {
  path: string
  title: string
  description: string
  html: string
  tags: Tag[]
  date: Date
  modified: Date
}

// Readers fetch the whole feed each time, and have kept what was in it before.
const MAX_ITEMS = 100

/** The newest of the blog as RSS 2.0 and as a JSON feed. */
export function createFeeds(
  site: Site,
  baseUrl: string,
  items: FeedItem[],
  updated: Date,
): { rss: string; json: string } {
  const feed = new Feed({
    id: `${baseUrl}/`,
    link: `${baseUrl}/`,
    title: site.title,
    description: site.description,
    language: site.language,
    updated,
    generator: 'Portico',
    copyright: site.author,
    feedLinks: { rss: `${baseUrl}/feed.xml`, json: `${baseUrl}/feed.json` },
    author: { name: site.author },
  })
  for (const { path, title, description, html, tags, date, modified } of items.slice(0, MAX_ITEMS)) {
    const link = baseUrl + path
    feed.addItem({
      id: link,
      guid: link,
      link,
      title,
      description,
      content: asElsewhere(html, link),
      date: modified,
      published: date,
      category: tags.map(({ name }) => ({ name })),
    })
  }
  return { rss: feed.rss2(), json: asVersion1_1(feed.json1(), site) }
}

/** The library writes version 1; what the next one has more is little. */
function asVersion1_1(json: string, { author, language }: Site): string {
  const { author: _former, ...feed } = JSON.parse(json)
  return JSON.stringify({ ...feed, version: 'https://jsonfeed.org/version/1.1', language, authors: [{ name: author }] })
}

/** Feed readers show the text elsewhere: an address relative to ours leads nowhere, and a link to a heading is in the way. */
function asElsewhere(html: string, page: string): string {
  return withAddresses(html.replace(/<a class="anchor"[^<>]*>#<\/a>/g, ''), page, ({ href }) => href)
}
