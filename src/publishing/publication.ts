import type { Calendar } from '../content/calendar-days.ts'
import { documentAddresses, findFaults, ownIconOf } from '../content/content-faults.ts'
import type { Document } from '../content/document.ts'
import type { ContentFault } from '../content/fault.ts'
import { linkFiles } from '../content/file-links.ts'
import type { Highlighter } from '../content/highlight.ts'
import { isPublic, type Library, type Page, type Post } from '../content/library.ts'
import type { Rendered } from '../content/markdown.ts'
import type { SearchIndex } from '../content/search/search-index.ts'
import { filledSections } from '../content/sections.ts'
import type { Tag } from '../content/tags.ts'
import type { Representation } from '../http/representation.ts'
import { mapOneByOne, mapValues } from '../lib/one-by-one.ts'
import { apiDocs } from '../pages/api/api-docs.ts'
import { assetOf } from '../pages/assets.ts'
import { draftPages, type WaitingPage } from '../pages/drafts.ts'
import { FONTS } from '../pages/fonts.ts'
import { type Frame, markdownPath } from '../pages/layout.ts'
import { sectionPage } from '../pages/section-page.ts'
import {
  blogPage,
  homePage,
  type PublishedPage,
  type PublishedPost,
  plainPage,
  postPage,
  type SitePage,
  tagPage,
} from '../pages/site-pages.ts'
import { styleSheet } from '../pages/styles.ts'
import {
  attachmentRepresentation,
  draftRepresentation,
  fileRepresentation,
  type PageVariants,
  pageVariants,
} from './page-variants.ts'
import { favicon, graphFile, publicFiles } from './public-files.ts'
import { indexSite } from './search.ts'

/** The prebuilt responses of the site, by path. */
export interface Publication {
  /** Pages in HTML and in markdown, for content negotiation. */
  pages: Map<string, PageVariants>
  files: Map<string, Representation>
  /** Previews of drafts and scheduled documents. Empty in production. */
  drafts: Map<string, Representation>
  frame: Frame
  /** Faults that are found while the site is built, such as broken links. */
  faults: ContentFault[]
  /** The date of the next scheduled document. The publication must be rebuilt then. */
  nextChange: Date | undefined
  /** The cache of rendered markdown, by source. Rendering is the slowest step, and most documents stay the same. */
  rendered: Map<string, Rendered>
  /** The pages of the API descriptions, which depend on no content. */
  apiPages: SitePage[]
  /** Undefined if the site has no search. */
  search: SearchIndex | undefined
}

interface Sources {
  library: Library
  calendar: Calendar | undefined
  /** The OpenAPI documents to show as pages, by the name of the page. */
  descriptions: Record<string, object>
  render: (markdown: string) => Rendered
  highlighter: Highlighter
  baseUrl: string
  showsDrafts: boolean
  /** Whether the development mailbox is in use. */
  hasMailbox: boolean
}

/** What a publication takes from the one before it. `rendered` and `apiPages` are absent if code was highlighted since. */
export type Former = {
  [Part in 'rendered' | 'apiPages' | 'pages' | 'files' | 'search']?: Publication[Part] | undefined
}

/** Builds the publication. Rendered markdown and unchanged responses are taken from `former`. */
export async function publish(sources: Sources, now: Date, former: Former = {}): Promise<Publication> {
  const { library, baseUrl, highlighter, calendar } = sources
  const { site, attachments } = library
  const isPublicNow = (document: Post | Page) => isPublic(document, now)
  // A modification date in the future is replaced by the date of publication.
  const notFuture = (modified: Date, published = now) => (modified <= now ? modified : published)
  const rendered = new Map<string, Rendered>()
  const addresses = documentAddresses(library)
  const posts = await mapOneByOne(library.posts.filter(isPublicNow), publishedPost)
  const documents = await mapOneByOne(library.pages.filter(isPublicNow), publishedPage)
  const plain = documents.filter(({ path }) => path !== '/')
  const sections = filledSections(site.sections, plain)
  const inSections = new Set(sections.flatMap(({ pages }) => pages))
  const unlisted = plain.filter((page) => !inSections.has(page))
  const updated = latest([...posts, ...documents].map(({ modified }) => modified))
  const apiPages = former.apiPages ?? (await apiDocs(sources.descriptions, render))

  const sitePages = [
    homePage(
      site,
      documents.find(({ path }) => path === '/'),
      posts,
      calendar,
      sections,
      updated,
    ),
    blogPage(posts, latest(posts.map(({ modified }) => modified))),
    ...posts.map((post, index) => postPage(post, { newer: posts[index - 1], older: posts[index + 1] })),
    ...tagsOf(posts).map(([tag, tagged]) => tagPage(tag, tagged, latest(tagged.map(({ modified }) => modified)))),
    ...plain.map((page) => (inSections.has(page) ? sectionPage(page, sections) : plainPage(page, page))),
    ...apiPages,
  ]
  const drafts = sources.showsDrafts ? draftPages(await waitingPages(), baseUrl) : []

  const style = assetOf('site', 'css', styleSheet(site.accent) + highlighter.css())
  const ownIcon = ownIconOf(attachments)
  const frame: Frame = {
    site,
    baseUrl,
    stylesheet: style.path,
    font: FONTS.latin.path,
    icon: ownIcon ?? '/favicon.svg',
  }
  const texts = [
    ...(await publicFiles(frame, sitePages, { posts, sections, pages: unlisted }, updated, sources.hasMailbox)),
    [style.path, 'text/css; charset=utf-8', style.content],
    ...Object.values(FONTS).map(({ path, content }) => [path, 'font/woff2', content]),
    ['/openapi.json', 'application/json; charset=utf-8', JSON.stringify(sources.descriptions['content-api'])],
    ...(ownIcon ? [] : [['/favicon.svg', 'image/svg+xml', favicon(site.accent)]]),
    ...(calendar ? [graphFile(calendar, site.accent)] : []),
  ] as [path: string, type: string, text: string | Buffer][]

  const files = await mapValues(attachments, attachmentRepresentation)
  for (const [path, type, text] of texts)
    files.set(path, await fileRepresentation(path, type, text, former.files?.get(path)))
  // Clients that do not read the page's `<link rel="icon">` request /favicon.ico.
  const icon = files.get(frame.icon)
  if (icon && !files.has('/favicon.ico')) files.set('/favicon.ico', icon)

  return {
    pages: await mapValues(byPath(sitePages), (page) => pageVariants(page, frame, former.pages?.get(page.path))),
    files,
    drafts: await mapValues(byPath(drafts), (page) => draftRepresentation(page, frame)),
    frame,
    faults: findFaults(library, [...posts, ...documents], files, baseUrl),
    nextChange: nextScheduled(library, now),
    rendered,
    apiPages,
    search: site.search ? await indexSite({ posts, pages: documents, sections, site }, former.search) : undefined,
  }

  function render(markdown: string): Rendered {
    const result = former.rendered?.get(markdown) ?? sources.render(markdown)
    rendered.set(markdown, result)
    return result
  }

  function publishedPost(post: Post): PublishedPost {
    return { ...post, ...published(post), modified: notFuture(post.modified, post.date) }
  }

  function publishedPage(page: Page): PublishedPage {
    return { ...page, ...published(page), modified: notFuture(page.modified, page.date) }
  }

  function published({ file, markdown }: Document): Rendered & { markdown: string; path: string } {
    const result = render(markdown)
    return { ...result, ...linkFiles(file, result, addresses, markdownPath), path: addresses.get(file) ?? '' }
  }

  async function waitingPages(): Promise<WaitingPage[]> {
    const posts = await mapOneByOne(
      library.posts.filter((post) => !isPublicNow(post)),
      publishedPost,
    )
    const pages = await mapOneByOne(
      library.pages.filter((page) => !isPublicNow(page)),
      publishedPage,
    )
    return [
      ...posts.map((post) => ({ page: postPage(post), document: post })),
      ...pages.map((page) => ({ page: plainPage(page, page), document: page })),
    ]
  }
}

/** Each tag with its posts. The newest post decides the spelling of the tag. */
function tagsOf(posts: PublishedPost[]): [Tag, PublishedPost[]][] {
  const tags = new Map(posts.toReversed().flatMap(({ tags }) => tags.map((tag) => [tag.slug, tag])))
  return [...tags.values()]
    .sort((a, b) => (a.slug < b.slug ? -1 : 1))
    .map((tag) => [tag, posts.filter((post) => post.tags.some(({ slug }) => slug === tag.slug))])
}

function byPath<T extends { path: string }>(pages: T[]): Map<string, T> {
  return new Map(pages.map((page) => [page.path, page]))
}

// The modification date of pages without content, such as an empty blog.
const PROCESS_START = new Date()

function latest(dates: Date[]): Date {
  return dates.length > 0 ? new Date(Math.max(...dates.map(Number))) : PROCESS_START
}

function nextScheduled({ posts, pages }: Library, now: Date): Date | undefined {
  const scheduled = [...posts, ...pages].flatMap(({ isDraft, date }) => (!isDraft && date && date > now ? [date] : []))
  return scheduled.sort((a, b) => Number(a) - Number(b))[0]
}
