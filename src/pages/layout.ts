import type { Site } from '../content/site.ts'
import { Html, html } from './html.ts'

/** The site settings and assets that every page needs. */
export interface Frame {
  site: Site
  baseUrl: string
  /** The path of the style sheet. It contains the hash of its content. */
  stylesheet: string
  icon: string
}

/** The signed-in user: the name in the header, and the preferences. */
export interface Reader {
  name: string
  theme: string
  font: string
}

export interface PageParts {
  title: string
  description: string
  path: string
  main: Html
  article?: { published: Date; modified: Date; tags: string[] }
  /** False adds `noindex`. */
  isIndexed?: boolean
  /** The paths of JavaScript modules for progressive enhancement. */
  scripts?: string[]
}

/** The path of the page's markdown. */
export function markdownPath(path: string): string {
  return path === '/' ? '/index.md' : `${path}.md`
}

/** The inverse of `markdownPath`. Other paths are returned unchanged. */
export function pageOf(path: string): string {
  return path === '/index.md' ? '/' : path.replace(/(?<=[^/])\.md$/, '')
}

export function layout(frame: Frame, page: PageParts, reader?: Reader): string {
  const { site, baseUrl, stylesheet, icon } = frame
  const { theme, font } = lookOf(site, reader)
  const isHome = page.path === '/'
  const title = isHome ? site.title : `${page.title} · ${site.title}`
  const url = baseUrl + page.path
  const { text } = html`<!doctype html>
<html lang="${site.language}"${theme !== 'system' && html` data-theme="${theme}"`}${font !== 'sans' && html` data-font="${font}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${page.description}">
${
  page.isIndexed === false
    ? html`<meta name="robots" content="noindex">`
    : html`<link rel="canonical" href="${url}">
<link rel="alternate" type="text/markdown" href="${baseUrl}${markdownPath(page.path)}">`
}
<link rel="alternate" type="application/rss+xml" title="${site.title}" href="${baseUrl}/feed.xml">
<link rel="alternate" type="application/feed+json" title="${site.title}" href="${baseUrl}/feed.json">
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${stylesheet}">
${page.scripts?.map(
  (script) => html`<script type="module" src="${script}"></script>
`,
)}<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${page.description}">
<meta property="og:type" content="${page.article ? 'article' : 'website'}">
<meta property="og:url" content="${url}">
<meta property="og:site_name" content="${site.title}">
<meta name="twitter:card" content="summary">
${page.article && articleTags(page.article)}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="site">
<a class="name" href="/" dir="auto"${isHome && new Html(' aria-current="page"')}>${site.title}</a>
<nav aria-label="Site">
${site.navigation.map(
  (item) => html`<a href="${item.url}" dir="auto"${current(item.url, page.path)}>${item.title}</a>
`,
)}${accountLinks(page.path, reader)}</nav>
</header>
<main id="content" tabindex="-1">
${page.main}
</main>
<footer class="site">
<p dir="auto">${site.author}</p>
<p>${site.links.map((link) => html`<a href="${link.url}" rel="me" dir="auto">${link.title}</a> `)}<a href="/feed.xml">RSS</a> <a href="/llms.txt">llms.txt</a> <a href="/docs">API</a></p>
</footer>
</body>
</html>
`
  return text
}

function accountLinks(path: string, reader: Reader | undefined): Html {
  if (!reader) return html`<a href="/log-in"${current('/log-in', path)}>Log in</a>`
  return html`<a href="/account" dir="auto"${current('/account', path)}>${reader.name}</a>
<form method="post" action="/log-out"><button class="plain">Log out</button></form>`
}

/**
 * The reader's theme and font. The site's settings are the fallback, also for values that the style sheet does not
 * have.
 */
function lookOf(site: Site, reader: Reader | undefined): Pick<Site, 'theme' | 'font'> {
  const { theme, font } = reader ?? {}
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : site.theme,
    font: font === 'serif' || font === 'mono' ? font : site.font,
  }
}

function articleTags({ published, modified, tags }: NonNullable<PageParts['article']>): Html {
  return html`<meta property="article:published_time" content="${published.toISOString()}">
<meta property="article:modified_time" content="${modified.toISOString()}">
${tags.map(
  (tag) => html`<meta property="article:tag" content="${tag}">
`,
)}`
}

/** Marks the navigation link to this page, or to the section that contains it. */
function current(url: string, path: string): Html | false {
  if (url === path) return new Html(' aria-current="page"')
  return path.startsWith(`${url}/`) && new Html(' aria-current="true"')
}
