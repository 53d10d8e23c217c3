import type { Calendar } from '../content/calendar-days.ts'
import { createFeeds, MAX_FEED_ITEMS } from '../content/feeds.ts'
import { createLlms } from '../content/llms.ts'
import { createSitemap } from '../content/sitemap.ts'
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

/** The generated text files beside the pages: feeds, sitemap, llms.txt, llms-full.txt and robots.txt. */
export function publicFiles(
  { site, baseUrl }: Frame,
  plans: PlannedPage[],
  { posts, sections, pages }: { posts: PublishedPost[]; sections: PublishedSection[]; pages: PublishedPage[] },
  updated: Date,
  hasMailbox: boolean,
): PlannedFile[] {
  const lists = [
    ...sections.map(({ title, pages }) => ({ title, items: pages.map(listed) })),
    { title: 'Posts', items: posts.map(listed) },
    { title: 'Pages', items: pages.map(listed) },
  ]
  // RFC 9309. Disallows only the redirects of sign-in, so every address in llms.txt is allowed.
  const robots = `User-agent: *\nDisallow: /api/oauth/\n\nSitemap: ${baseUrl}/sitemap.xml\n`
  return [
    { path: '/feed.xml', type: 'application/rss+xml; charset=utf-8', content: async () => (await feeds()).rss },
    { path: '/feed.json', type: 'application/feed+json; charset=utf-8', content: async () => (await feeds()).json },
    { path: '/sitemap.xml', type: 'application/xml; charset=utf-8', content: () => createSitemap(baseUrl, plans) },
    { path: '/llms.txt', type: TEXT, content: () => `${createLlms(site, baseUrl, lists, hasMailbox)}\n` },
    { path: '/llms-full.txt', type: TEXT, content: everything },
    { path: '/robots.txt', type: TEXT, content: () => robots },
  ]

  async function feeds() {
    const items = await mapOneByOne(posts.slice(0, MAX_FEED_ITEMS), (post) => ({ ...post, html: post.body().html }))
    return createFeeds(site, baseUrl, items, updated)
  }

  async function everything(): Promise<string> {
    const texts = await mapOneByOne(plans, async ({ path, build }) => {
      return `<!-- ${baseUrl}${path} -->\n\n${(await build()).markdown}`
    })
    return `${texts.join('\n\n---\n\n')}\n`
  }

  function listed({ title, description, path }: PublishedSection['pages'][number]) {
    return { title, description, url: baseUrl + markdownPath(path) }
  }
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
