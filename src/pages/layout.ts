import { MAX_QUERY_CHARACTERS } from '../content/search/find-pages.ts'
import type { Site } from '../content/site.ts'
import { portrait } from './components.ts'
import { headLinks } from './head-links.ts'
import { Html, html } from './html.ts'
import { icon as drawIcon } from './icons.ts'
import { type Crumb, structuredData } from './structured-data.ts'
import type { StyleSheetName } from './styles.ts'

/** The site settings and assets that every page needs. */
export interface Frame {
  site: Site
  baseUrl: string
  /** The paths of the style sheets. Each contains the hash of its content. */
  stylesheets: Record<StyleSheetName, string>
  /** The path of the author's own style sheet, if there is one. */
  ownStylesheet?: string | undefined
  /** The path of the font file that every page uses, if the look has one. It contains the hash of its content. */
  font?: string | undefined
  icon: string
  /** The `<img>` element of the logo, if there is one. */
  logo?: string | undefined
}

/** The signed-in user: name and picture in the header, and the preferences. */
export interface Reader {
  name: string
  avatar: string
  theme: string
  font: string
  isOwner: boolean
}

export interface PageContent {
  title: string
  description: string
  path: string
  main: Html
  /** The date of the last change by an author, if known. */
  modified?: Date | undefined
  article?: { published: Date; modified: Date; tags: string[] }
  /** The picture that social networks show with a link to the page. */
  preview?: { path: string; width: number; height: number; alt: string } | undefined
  /** The paths of the pages before and after this one, in a list or among the posts. */
  previous?: string | undefined
  next?: string | undefined
  /** The pages above this one, without the home page. */
  trail?: Crumb[]
  /** A list that has feeds of its own, also on its later pages. */
  feedsOf?: Crumb
  /** False adds `noindex`. */
  isIndexed?: boolean
  /** The paths of JavaScript modules for progressive enhancement. */
  scripts?: string[]
  /** Uses the whole width instead of the measure of a text. */
  isWide?: boolean
  /** The style sheet of the page. That of the public pages if there is none. */
  styles?: StyleSheetName
}

/** In CSS pixels. */
export const LOGO_HEIGHT = 28

/** The path of the page's markdown. */
export function markdownPath(path: string): string {
  return path === '/' ? '/index.md' : `${path}.md`
}

export function layout(frame: Frame, page: PageContent, reader?: Reader): string {
  const { site, baseUrl, stylesheets, ownStylesheet, icon, font: fontFile } = frame
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
${
  fontFile &&
  html`<link rel="preload" href="${fontFile}" as="font" type="font/woff2" crossorigin>
`
}<link rel="stylesheet" href="${stylesheets[page.styles ?? 'public']}">
${
  ownStylesheet &&
  html`<link rel="stylesheet" href="${ownStylesheet}">
`
}${headLinks(frame, page, theme)}
${page.scripts?.map(
  (script) => html`<script type="module" src="${script}"></script>
`,
)}<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${page.description}">
<meta property="og:type" content="${page.article ? 'article' : 'website'}">
<meta property="og:url" content="${url}">
<meta property="og:site_name" content="${site.title}">
${page.preview ? previewTags(baseUrl, page.preview) : html`<meta name="twitter:card" content="summary">`}
${page.article && articleTags(page.article, site.author)}
${structuredData(frame, page)}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${page.isIndexed !== false && !site.hide.includes('llms') && forAgents(page.path)}
<header class="site">
<div class="bar">
<a class="name" href="/"${isHome && new Html(' aria-current="page"')}>${frame.logo && new Html(frame.logo)}<span dir="auto">${site.title}</span></a>
${
  site.navigation.length > 0 &&
  html`<button class="menu-button" popovertarget="site-menu" aria-label="Menu">${drawIcon('menu')}</button>
<nav class="site-menu menu" id="site-menu" popover aria-label="Site">
${site.navigation.map(
  (item) => html`<a href="${item.url}" dir="auto"${current(item.url, page.path)}>${item.title}</a>
`,
)}</nav>`
}
${site.search && page.path !== SEARCH_PATH && searchForm()}
${account(frame, page.path, reader)}</div>
</header>
<main id="content" tabindex="-1"${page.isWide && html` class="wide"`}>
${page.main}
</main>
<footer class="site">
<div>
<p dir="auto">${site.author}</p>
<p class="links">${site.links.map((link) => html`<a href="${link.url}" rel="me" dir="auto">${link.title}</a> `)}${FOOTER_LINKS.map(({ entry, url, title }) => !site.hide.includes(entry) && html`<a href="${url}">${title}</a> `)}</p>
</div>
</footer>
</body>
</html>
`
  return text
}

/** For agents that read the HTML: browsers and screen readers leave hidden elements out. */
function forAgents(path: string): Html {
  return html`<p hidden>For agents: <a href="${markdownPath(path)}">this page as markdown</a>, <a href="/llms.txt">all pages</a></p>`
}

const FOOTER_LINKS = [
  { entry: 'feed', url: '/feed.xml', title: 'RSS' },
  { entry: 'llms', url: '/llms.txt', title: 'llms.txt' },
  { entry: 'api', url: '/docs', title: 'API' },
] as const

/** The path of the page with the results of a search. */
export const SEARCH_PATH = '/search'

/** The field for a search, on wide screens, and a link to the page that has it, on narrow ones. */
function searchForm(): Html {
  return html`<a class="search-link" href="${SEARCH_PATH}" aria-label="Search">${drawIcon('search')}</a>
<form class="site-search" role="search" action="${SEARCH_PATH}">
<label for="site-search">${drawIcon('search')}<span class="unseen">Search this site</span></label>
<input id="site-search" type="search" name="q" maxlength="${MAX_QUERY_CHARACTERS}" placeholder="Search" dir="auto">
</form>`
}

/** The pages of the signed-in user, in the account menu and in the tabs. */
export const ACCOUNT_LINKS = {
  '/account': 'Profile',
  '/account/username': 'Username',
  '/account/email': 'E-mail',
  '/account/appearance': 'Appearance',
  '/account/security': 'Security',
  '/account/data': 'Data',
}

/** The first page of the owner's desk. */
export const OVERVIEW_PATH = '/owner'
/** The people of the site, on the owner's desk. */
export const DESK_PATH = '/owner/people'

/**
 * The link to the log-in page, or the menu of the signed-in user. A picture of another site is not shown here: its
 * requests would reveal to that site every page that the user opens.
 */
function account({ site, baseUrl }: Frame, path: string, reader: Reader | undefined): Html | false {
  if (!reader)
    return (
      !site.hide.includes('log-in') &&
      html`<a class="button quiet log-in" href="/log-in"${current('/log-in', path)}>Log in</a>`
    )
  const avatar = reader.avatar.startsWith(`${baseUrl}/`) ? reader.avatar : ''
  return html`<button class="account-button" popovertarget="account-menu"><span class="unseen">Account of</span> ${portrait({ name: reader.name, avatar })}<span dir="auto">${reader.name}</span>${drawIcon('down')}</button>
<nav class="menu" id="account-menu" popover aria-label="Account">
${Object.entries(ACCOUNT_LINKS).map(
  ([to, title]) => html`<a href="${to}"${to === path && html` aria-current="page"`}>${title}</a>
`,
)}${
  reader.isOwner &&
  html`<a href="${OVERVIEW_PATH}"${current(OVERVIEW_PATH, path)}>Owner’s desk</a>
`
}<hr>
<form method="post" action="/log-out"><button class="plain">Log out</button></form>
</nav>
`
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

/** https://ogp.me/#structured */
function previewTags(baseUrl: string, { path, width, height, alt }: NonNullable<PageContent['preview']>): Html {
  return html`<meta property="og:image" content="${baseUrl}${path}">
<meta property="og:image:width" content="${width}">
<meta property="og:image:height" content="${height}">
<meta property="og:image:alt" content="${alt}">
<meta name="twitter:card" content="summary_large_image">`
}

function articleTags({ published, modified, tags }: NonNullable<PageContent['article']>, author: string): Html {
  return html`<meta property="article:author" content="${author}">
<meta property="article:published_time" content="${published.toISOString()}">
<meta property="article:modified_time" content="${modified.toISOString()}">
${tags.map(
  (tag) => html`<meta property="article:tag" content="${tag}">
`,
)}`
}

// Lists of posts, which belong to the blog.
const POST_LISTS = /^\/(?:archive|series|tags)(?:\/|$)/

/** Marks the navigation link to this page, or to the section that contains it. */
function current(url: string, path: string): Html | false {
  if (url === path) return new Html(' aria-current="page"')
  const isInside = path.startsWith(`${url}/`) || (url === '/blog' && POST_LISTS.test(path))
  return isInside && new Html(' aria-current="true"')
}
