import { Feed } from 'feed'
import type { Site } from './site.ts'

export interface FeedItem {
  path: string
  title: string
  description: string
  html: string
  tags: string[]
  date: Date
  modified: Date
}

/** The blog as RSS 2.0 and as a JSON feed. */
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
  for (const { path, title, description, html, tags, date } of items) {
    const link = baseUrl + path
    feed.addItem({
      id: link,
      guid: link,
      link,
      title,
      description,
      content: absolute(html, baseUrl),
      date,
      published: date,
      category: tags.map((name) => ({ name })),
    })
  }
  return { rss: feed.rss2(), json: feed.json1() }
}

/** Feed readers show the text elsewhere, where a path of ours leads nowhere. */
function absolute(html: string, baseUrl: string): string {
  return html.replace(/(href|src)="\/(?!\/)/g, `$1="${baseUrl}/`)
}
