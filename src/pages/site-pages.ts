import { asMarkdown } from '../content/as-markdown.ts'
import type { Calendar } from '../content/calendar-days.ts'
import type { Page, Post } from '../content/library.ts'
import type { Rendered } from '../content/markdown.ts'
import { BLOG_PATH, type SeriesPosition } from '../content/post-lists.ts'
import type { Site } from '../content/site.ts'
import { type Tag, tagPath } from '../content/tags.ts'
import { longDate } from '../lib/dates.ts'
import type { StoredText } from '../lib/stored-text.ts'
import { contributions, contributionsInWords } from './contributions.ts'
import { time } from './dates.ts'
import { Html, html } from './html.ts'
import type { PageContent } from './layout.ts'
import { relatedLines, relatedPosts, seriesBox, seriesLine } from './post-links.ts'
import { postLines, postList } from './post-list.ts'
import { scriptPath } from './scripts.ts'
import { type PublishedSection, sectionCards, sectionLists } from './sections.ts'
import { withContents } from './table-of-contents.ts'

/** A page as HTML and as markdown. */
export interface SitePage extends PageContent {
  markdown: string
  /** Links to related pages and to those before and after, which follow the markdown. llms-full.txt leaves them out. */
  markdownLinks?: string | undefined
  /** The `date` of the front matter. */
  date?: Date | undefined
  /** The `updated` of the front matter. */
  updated?: Date | undefined
  /** The `tags` of the front matter. */
  tags?: Tag[] | undefined
}

/** The plan of a page: its path, and the function that renders it when it is requested. */
export interface PlannedPage<Built = SitePage> {
  path: string
  modified?: Date | undefined
  /** A large page that is rarely requested is not prepared ahead of its first request. */
  isLowPriority?: boolean
  /** The texts of the social card of the page. */
  card?: { title: string; date?: Date | undefined }
  /** A later page of a list. The sitemap and llms-full.txt have the first one only. */
  isContinuation?: boolean
  build(): Built | Promise<Built>
}

/** The rendered text of a document, with the published addresses in its links. */
type Body = Pick<Rendered, 'headings' | 'minutes'> & {
  html: string
  markdown: string
  /** The text for feed readers: the pictures have their dimensions, and the addresses that the author gave. */
  feedHtml(): string
}

interface Renderable {
  path: string
  /** The URL of the page's markdown. */
  markdownUrl: string
  /** The markdown of the file. */
  source: StoredText
  body(): Promise<Body>
  cover(): Cover | undefined
  /** Requests the missing sizes of these pictures and of the cover. */
  requestSizes(pictures: string[]): void
}

/** The picture of the front matter. */
export interface Cover {
  /** The absolute address of the file. */
  url: string
  alt: string
  type: string
  bytes: number
  /** The `<img>` element. */
  html: string
  /** Undefined for a type that social networks do not show. */
  preview: PageContent['preview']
}

export type PublishedPost = Omit<Post, 'markdown'> & Renderable
export type PublishedPage = Omit<Page, 'markdown'> & Renderable

/** The width and height of the portrait on the home page, in CSS pixels. */
export const PORTRAIT_SIZE = 144

/** The home page begins with `pages/index.md`, if there is one. */
export async function homePage(
  site: Pick<Site, 'title' | 'description'> & { portraitHtml: string | undefined },
  intro: PublishedPage | undefined,
  posts: PublishedPost[],
  calendar: Calendar | undefined,
  sections: PublishedSection[],
  modified: Date,
): Promise<SitePage> {
  const latest = posts.slice(0, 5)
  // A site of pages alone, such as a documentation, has no list of posts.
  const hasPosts = posts.length > 0 || sections.length === 0
  const heading = intro?.title || site.title
  const description = intro?.description || site.description
  const body = await intro?.body()
  return {
    path: '/',
    title: site.title,
    description: site.description,
    modified,
    date: intro?.date,
    updated: intro?.updated,
    tags: intro?.tags,
    ...scriptsFor(body?.html ?? ''),
    main: html`<div class="hero">
${site.portraitHtml && new Html(site.portraitHtml)}
<div><h1 dir="auto">${heading}</h1>
${description && html`<p class="lead" dir="auto">${description}</p>`}</div>
</div>
${body && new Html(body.html)}
${sectionCards(sections)}
${calendar && contributions(calendar)}
${
  hasPosts &&
  html`<div class="section-head"><h2>Latest posts</h2>
${posts.length > latest.length && html`<p class="more"><a href="/blog">All ${posts.length} posts</a></p>`}</div>
${postList(latest)}`
}`,
    markdown: [
      `# ${asMarkdown(heading)}`,
      description && `> ${asMarkdown(description)}`,
      body?.markdown.trim(),
      ...sectionLists(sections),
      calendar && contributionsInWords(calendar),
      ...(hasPosts ? ['## Latest posts', postLines(latest)] : []),
    ]
      .filter(Boolean)
      .join('\n\n'),
  }
}

/** The posts that a post links to. */
interface PostLinks {
  newer?: PublishedPost | undefined
  older?: PublishedPost | undefined
  series?: SeriesPosition<PublishedPost> | undefined
  related?: PublishedPost[]
}

export async function postPage(
  post: PublishedPost,
  { newer, older, series, related = [] }: PostLinks = {},
): Promise<SitePage> {
  const { title, description, date, updated, path } = post
  const body = await post.body()
  const cover = post.cover()
  const tags = post.tags.map(({ name }) => name)
  return {
    path,
    title,
    description,
    modified: post.modified,
    date,
    updated,
    tags: post.tags,
    article: { published: date, modified: post.modified, tags },
    preview: cover?.preview,
    previous: older?.path,
    next: newer?.path,
    trail: [{ title: 'Blog', path: BLOG_PATH }],
    ...scriptsFor(body.html),
    main: html`<article>
<header class="title-block" dir="auto"><h1>${title}</h1>
${description && html`<p class="lead" dir="auto">${description}</p>`}
<p class="meta">${time(date)} · ${body.minutes} min read${updated && html` · <span class="updated">updated ${time(updated)}</span>`}</p>
${tags.length > 0 && html`<ul class="tags" aria-label="Tags">${post.tags.map((tag) => html`<li><a href="${tagPath(tag)}" dir="auto">${tag.name}</a></li>`)}</ul>`}</header>
${cover && new Html(cover.html)}
${series && seriesBox(series)}
${withContents(body, post.toc)}
</article>
${relatedPosts(related)}
${
  (newer || older) &&
  html`<nav class="neighbours" aria-label="Other posts">
${older && neighbour('Older', 'prev', older)}
${newer && neighbour('Newer', 'next', newer)}
</nav>`
}`,
    markdown: [
      `# ${asMarkdown(title)}`,
      ...(description ? [`> ${asMarkdown(description)}`] : []),
      `Published ${longDate(date)}${updated ? `, updated ${longDate(updated)}` : ''}${tags.length > 0 ? ` · ${tags.map(asMarkdown).join(', ')}` : ''}`,
      ...(cover ? [`![${asMarkdown(cover.alt)}](${cover.url})`] : []),
      ...(series ? [seriesLine(series)] : []),
      body.markdown.trim(),
    ].join('\n\n'),
    markdownLinks: relatedLines(related),
  }
}

/**
 * A link to the page before or after this one
 * (https://html.spec.whatwg.org/multipage/links.html#sequential-link-types).
 */
export function neighbour(label: string, rel: 'prev' | 'next', { path, title }: { path: string; title: string }): Html {
  return html`<a rel="${rel}" href="${path}"><span>${label}</span> <b dir="auto">${title}</b></a>`
}

export function plainPage(
  {
    path,
    title,
    description,
    modified,
    date,
    updated,
    tags,
    toc,
  }: Omit<PageContent, 'main'> & Pick<SitePage, 'date' | 'updated' | 'tags'> & { toc?: boolean | undefined },
  body: { html: string; markdown: string; headings?: Rendered['headings'] },
  kind = 'page',
): SitePage {
  return {
    path,
    title,
    description,
    modified,
    date,
    updated,
    tags,
    ...scriptsFor(body.html),
    main: html`<article class="${kind}">
<h1 dir="auto">${title}</h1>
${description && html`<p class="lead" dir="auto">${description}</p>`}
${withContents({ headings: new Map(), ...body }, toc)}
</article>`,
    markdown: [
      `# ${asMarkdown(title)}`,
      ...(description ? [`> ${asMarkdown(description)}`] : []),
      body.markdown.trim(),
    ].join('\n\n'),
  }
}

/** A page with blocks of code has buttons that copy them. */
export function scriptsFor(text: string): Pick<PageContent, 'scripts'> {
  return text.includes('<pre') ? { scripts: [scriptPath('copy-code')] } : {}
}
