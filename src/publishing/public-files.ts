import type { Calendar } from '../content/calendar-days.ts'
import { createFeeds } from '../content/feeds.ts'
import { createLlms } from '../content/llms.ts'
import { createSitemap } from '../content/sitemap.ts'
import { accentColours } from '../lib/accent.ts'
import { contributionGraph } from '../pages/graph.ts'
import { Html, html } from '../pages/html.ts'
import { type Frame, markdownPath } from '../pages/layout.ts'
import type { PublishedSection } from '../pages/sections.ts'
import type { PublishedPage, PublishedPost, SitePage } from '../pages/site-pages.ts'
import { graphStyles } from '../pages/styles.ts'

type TextFile = [path: string, type: string, text: string]

/** The generated text files beside the pages: feeds, sitemap, llms.txt, llms-full.txt and robots.txt. */
export async function publicFiles(
  { site, baseUrl }: Frame,
  sitePages: SitePage[],
  { posts, sections, pages }: { posts: PublishedPost[]; sections: PublishedSection[]; pages: PublishedPage[] },
  updated: Date,
  hasMailbox: boolean,
): Promise<TextFile[]> {
  const feeds = createFeeds(site, baseUrl, posts, updated)
  const lists = [
    ...sections.map(({ title, pages }) => ({ title, items: pages.map(listed) })),
    { title: 'Posts', items: posts.map(listed) },
    { title: 'Pages', items: pages.map(listed) },
  ]
  const llms = createLlms(site, baseUrl, lists, hasMailbox)
  const full = sitePages.map(({ path, markdown }) => `<!-- ${baseUrl}${path} -->\n\n${markdown}`).join('\n\n---\n\n')
  // RFC 9309. Disallows only the redirects of sign-in, so every address in llms.txt is allowed.
  const robots = `User-agent: *\nDisallow: /api/oauth/\n\nSitemap: ${baseUrl}/sitemap.xml\n`
  return [
    ['/feed.xml', 'application/rss+xml; charset=utf-8', feeds.rss],
    ['/feed.json', 'application/feed+json; charset=utf-8', feeds.json],
    ['/sitemap.xml', 'application/xml; charset=utf-8', await createSitemap(baseUrl, sitePages)],
    ['/llms.txt', 'text/plain; charset=utf-8', `${llms}\n`],
    ['/llms-full.txt', 'text/plain; charset=utf-8', `${full}\n`],
    ['/robots.txt', 'text/plain; charset=utf-8', robots],
  ]

  function listed({ title, description, path }: PublishedSection['pages'][number]) {
    return { title, description, url: baseUrl + markdownPath(path) }
  }
}

/** The contribution graph as an SVG file with its own styles. */
export function graphFile(calendar: Calendar, accent: string): TextFile {
  const style = html`<style>${new Html(graphStyles(accent))}</style>`
  return ['/contributions.svg', 'image/svg+xml', contributionGraph(calendar, style).text]
}

/** The default icon of a site, in its accent colour. */
export function favicon(accent: string): string {
  const { light, dark } = accentColours(accent)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>path{fill:${light.accent}}@media(prefers-color-scheme:dark){path{fill:${dark.accent}}}</style><path d="M16 3 3 10v3h26v-3zM6 15h4v10H6zm8 0h4v10h-4zm8 0h4v10h-4zM3 26h26v3H3z"/></svg>
`
}
