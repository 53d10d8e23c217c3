import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Calendar } from '../content/calendar-days.ts'
import { createFeeds } from '../content/feeds.ts'
import type { Highlighter } from '../content/highlight.ts'
import type { Library, Page, Post } from '../content/library.ts'
import { createLlms } from '../content/llms.ts'
import type { Rendered } from '../content/markdown.ts'
import { createSitemap } from '../content/sitemap.ts'
import { type Representation, represent } from '../http/representation.ts'
import { apiDocs } from './api-docs.ts'
import { contributionGraph } from './graph.ts'
import { html } from './html.ts'
import { type Frame, layout, markdownPath, type PageParts } from './layout.ts'
import { blogPage, homePage, type PublishedPost, plainPage, postPage, type SitePage, tagPage } from './site-pages.ts'

/** Everything the public can get, by address, ready to be sent. */
export interface Publication {
  /** Pages answer in the form that is asked for. */
  pages: Map<string, PublishedPage>
  files: Map<string, Representation>
  frame: Frame
  /** When the next post is due to appear; the publication is out of date then. */
  nextChange: Date | undefined
}

export interface PublishedPage {
  html: Representation
  markdown: Representation
  /** For those whose page has more on it than everybody's. */
  parts: PageParts
}

interface Sources {
  library: Library
  calendar: Calendar | undefined
  /** The API descriptions to show as pages, by the name of their page. */
  descriptions: Record<string, object>
  render: (markdown: string) => Rendered
  highlighter: Highlighter
  baseUrl: string
}

const STYLES = ['./site.css', './account/account.css'].map((file) => readFile(new URL(file, import.meta.url), 'utf8'))
const CSS = (await Promise.all(STYLES)).join('\n')

export async function publish(sources: Sources, now: Date): Promise<Publication> {
  const { library, render, baseUrl, highlighter, calendar } = sources
  const { site } = library
  const posts = library.posts.filter((post) => isPublic(post, now)).map((post) => publishedPost(post, render))
  const documents = library.pages.filter((page) => isPublic(page, now))
  const touched = latest([...posts, ...documents].map(({ modified }) => modified))

  const sitePages = [
    homePage(site, introOf(documents, render), posts, calendar, touched),
    blogPage(posts, latest(posts.map(({ modified }) => modified))),
    ...posts.map((post, index) => postPage(post, { newer: posts[index - 1], older: posts[index + 1] })),
    ...tagsOf(posts).map(([tag, tagged]) => tagPage(tag, tagged, latest(tagged.map(({ modified }) => modified)))),
    ...documents.filter(({ slug }) => slug !== 'index').map((page) => documentPage(page, render)),
    ...apiDocs(sources.descriptions, render, touched),
  ]
  const css = CSS + highlighter.css()
  const stylesheet = `/assets/site.${createHash('sha256').update(css).digest('hex').slice(0, 12)}.css`
  const frame = { site, baseUrl, stylesheet }

  const pages = new Map(await Promise.all(sitePages.map(async (page) => [page.path, await pageForms(page)] as const)))
  const feeds = createFeeds(site, baseUrl, posts, touched)
  const listed = (page: { title: string; description: string; path: string }) => ({
    title: page.title,
    description: page.description,
    url: baseUrl + markdownPath(page.path),
  })
  const llms = createLlms(
    site,
    baseUrl,
    posts.map(listed),
    documents.filter(({ slug }) => slug !== 'index').map((page) => listed({ ...page, path: `/${page.slug}` })),
  )
  const full = sitePages.map(({ path, markdown }) => `<!-- ${baseUrl}${path} -->\n\n${markdown}`).join('\n\n---\n\n')
  const files: [string, string, string][] = [
    ['/feed.xml', 'application/rss+xml; charset=utf-8', feeds.rss],
    ['/feed.json', 'application/feed+json; charset=utf-8', feeds.json],
    ['/sitemap.xml', 'application/xml; charset=utf-8', await createSitemap(baseUrl, sitePages)],
    ['/llms.txt', 'text/plain; charset=utf-8', `${llms}\n`],
    ['/llms-full.txt', 'text/plain; charset=utf-8', `${full}\n`],
    [
      '/robots.txt',
      'text/plain; charset=utf-8',
      `User-agent: *\nAllow: /api/openapi.json\nDisallow: /api/\n\nSitemap: ${baseUrl}/sitemap.xml\n`,
    ],
    ['/favicon.svg', 'image/svg+xml', FAVICON],
    [stylesheet, 'text/css; charset=utf-8', css],
    ['/openapi.json', 'application/json; charset=utf-8', JSON.stringify(sources.descriptions['content-api'])],
  ]
  if (calendar) files.push(['/contributions.svg', 'image/svg+xml', standaloneGraph(calendar)])
  return {
    pages,
    files: new Map(
      await Promise.all(files.map(async ([path, type, text]) => [path, await fileForm(path, type, text)] as const)),
    ),
    frame,
    nextChange: nextAppearance(library, now),
  }

  async function pageForms(page: SitePage) {
    const link = { Link: `<${baseUrl}${markdownPath(page.path)}>; rel="alternate"; type="text/markdown"` }
    const canonical = { Link: `<${baseUrl}${page.path}>; rel="canonical"` }
    const [inHtml, inMarkdown] = await Promise.all([
      represent('text/html; charset=utf-8', layout(frame, page), {
        modified: page.modified,
        headers: { ...SHORT, ...link },
      }),
      represent('text/markdown; charset=utf-8', `${page.markdown}\n`, {
        modified: page.modified,
        headers: { ...SHORT, ...canonical },
      }),
    ])
    return { html: inHtml, markdown: inMarkdown, parts: page }
  }

  function fileForm(path: string, type: string, text: string): Promise<Representation> {
    const headers = path.startsWith('/assets/') ? FOREVER : path.endsWith('.svg') ? { ...SHORT, ...DRAWING } : SHORT
    return represent(type, text, { modified: touched, headers })
  }
}

const SHORT = { 'Cache-Control': 'public, max-age=60, stale-while-revalidate=600' }
const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' }
// Opened by itself, a drawing may use the style inside it and nothing else.
const DRAWING = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }

function isPublic({ isDraft, date }: Post | Page, now: Date): boolean {
  return !isDraft && (date === undefined || date <= now)
}

function publishedPost(post: Post, render: Sources['render']): PublishedPost {
  return { ...post, ...render(post.markdown), path: `/blog/${post.slug}` }
}

function documentPage(page: Page, render: Sources['render']): SitePage {
  const { slug, title, description, markdown, modified } = page
  return plainPage(`/${slug}`, title, description, { html: render(markdown).html, markdown }, modified)
}

/** `pages/index.md` is what the home page begins with. */
function introOf(pages: Page[], render: Sources['render']) {
  const intro = pages.find(({ slug }) => slug === 'index')
  return intro && { html: render(intro.markdown).html, markdown: intro.markdown }
}

function tagsOf(posts: PublishedPost[]): [string, PublishedPost[]][] {
  const tags = [...new Set(posts.flatMap((post) => post.tags))].sort()
  return tags.map((tag) => [tag, posts.filter((post) => post.tags.includes(tag))])
}

// What has no date of its own is as old as this process.
const STARTED = new Date()

function latest(dates: Date[]): Date {
  return dates.length > 0 ? new Date(Math.max(...dates.map(Number))) : STARTED
}

function nextAppearance({ posts, pages }: Library, now: Date): Date | undefined {
  const coming = [...posts, ...pages].flatMap(({ isDraft, date }) => (!isDraft && date && date > now ? [date] : []))
  return coming.sort((a, b) => Number(a) - Number(b))[0]
}

function standaloneGraph(calendar: Calendar): string {
  const rules = CSS.match(/^\.graph [^{]*\{[^}]*\}/gm) ?? []
  const variables = CSS.match(/^ {2}--(?:soft|sans): [^;]*;/gm) ?? []
  return contributionGraph(
    calendar,
    html`<style>:root{color-scheme:light dark;${variables.join('')}}${rules.join('')}</style>`,
  ).text
}

const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#2f9483" d="M16 3 3 10v3h26v-3zM6 15h4v10H6zm8 0h4v10h-4zm8 0h4v10h-4zM3 26h26v3H3z"/></svg>
`
