import type { Site } from '../content/site.ts'
import { type Html, html } from './html.ts'
import type { Crumb } from './structured-data.ts'
import { barColours } from './styles.ts'

interface LinkedPage {
  previous?: string | undefined
  next?: string | undefined
  feedsOf?: Crumb
}

/** Links and metadata in the head of a page: the pages around it, the feeds of its list, and the colour of the bar. */
export function headLinks(
  { site, baseUrl }: { site: Pick<Site, 'look' | 'title'>; baseUrl: string },
  { previous, next, feedsOf }: LinkedPage,
  theme: Site['theme'],
): Html {
  const { light, dark } = barColours(site.look)
  return html`${previous && link('prev', baseUrl + previous)}${next && link('next', baseUrl + next)}${feedsOf && listFeeds(`${feedsOf.title} · ${site.title}`, baseUrl + feedsOf.path)}${
    theme === 'system'
      ? html`<meta name="theme-color" media="(prefers-color-scheme: light)" content="${light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${dark}">`
      : html`<meta name="theme-color" content="${theme === 'light' ? light : dark}">`
  }`
}

function link(rel: string, href: string): Html {
  return html`<link rel="${rel}" href="${href}">
`
}

function listFeeds(title: string, url: string): Html {
  return html`<link rel="alternate" type="application/rss+xml" title="${title}" href="${url}/feed.xml">
<link rel="alternate" type="application/feed+json" title="${title}" href="${url}/feed.json">
`
}
