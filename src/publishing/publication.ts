import type { Calendar } from '../content/calendar-days.ts'
import { documentAddresses, ownIconOf } from '../content/content-faults.ts'
import type { Document } from '../content/document.ts'
import { linkFiles } from '../content/file-links.ts'
import { isPublic, type Library, type Page, type Post } from '../content/library.ts'
import type { Rendered } from '../content/markdown.ts'
import { filledSections } from '../content/sections.ts'
import { type Tag, tagPath } from '../content/tags.ts'
import { mapInSteps } from '../lib/one-by-one.ts'
import { API_PAGE_PATHS } from '../pages/api/api-docs.ts'
import { assetOf } from '../pages/assets.ts'
import { draftPages, type WaitingPage } from '../pages/drafts.ts'
import { FONTS } from '../pages/fonts.ts'
import { type Frame, markdownPath } from '../pages/layout.ts'
import { sectionPage } from '../pages/section-page.ts'
import type { PublishedSection } from '../pages/sections.ts'
import {
  BLOG_PATH,
  blogPage,
  homePage,
  type PlannedPage,
  type PublishedPage,
  type PublishedPost,
  plainPage,
  postPage,
  type SitePage,
  tagPage,
} from '../pages/site-pages.ts'
import { styleSheet } from '../pages/styles.ts'
import { type PageVariants, type PlannedFile, responsesOf } from './page-variants.ts'
import { favicon, graphFile, publicFiles } from './public-files.ts'
import type { LazyResponse, ResponseCache } from './response-cache.ts'

/** The responses of one edition of the site, by path. Each is made when it is first requested. */
export interface Publication {
  /** Pages in HTML and in markdown, for content negotiation. */
  pages: Map<string, PageVariants>
  files: Map<string, LazyResponse>
  /** Previews of drafts and scheduled documents. Empty in production. */
  drafts: Map<string, LazyResponse>
  frame: Frame
  /** The date of the next scheduled document. The publication must be rebuilt then. */
  nextChange: Date | undefined
  published: { posts: PublishedPost[]; pages: PublishedPage[]; sections: PublishedSection[] }
}

interface Sources {
  library: Library
  calendar: Calendar | undefined
  contentApi: object
  apiPages: () => Promise<SitePage[]>
  render: (markdown: string) => Rendered
  /** The style sheet of highlighted code. */
  codeStyles: string
  responses: ResponseCache
  baseUrl: string
  showsDrafts: boolean
  /** Whether the development mailbox is in use. */
  hasMailbox: boolean
}

/** Plans the pages and files of the site. None of them is rendered here. */
export async function publish(sources: Sources, now: Date): Promise<Publication> {
  const { library, baseUrl, calendar, render } = sources
  const { site, attachments } = library
  const isPublicNow = (document: Post | Page) => isPublic(document, now)
  // A modification date in the future is replaced by the date of publication.
  const notFuture = (modified: Date, published = now) => (modified <= now ? modified : published)
  const addresses = documentAddresses(library)
  const posts = await mapInSteps(library.posts.filter(isPublicNow), publishedPost)
  const documents = await mapInSteps(library.pages.filter(isPublicNow), publishedPage)
  const intro = documents.find(({ path }) => path === '/')
  const plain = documents.filter((page) => page !== intro)
  const sections = filledSections(site.sections, plain)
  const inSections = new Set(sections.flatMap(({ pages }) => pages))
  const unlisted = plain.filter((page) => !inSections.has(page))
  const updated = latestOf([...posts, ...documents])

  const plans: PlannedPage[] = [
    plan('/', updated, () => homePage(site, intro, posts, calendar, sections, updated)),
    plan(BLOG_PATH, latestOf(posts), (modified) => blogPage(posts, modified)),
    ...(await mapInSteps(posts.entries(), ([index, post]) =>
      plan(post.path, post.modified, () => postPage(post, { newer: posts[index - 1], older: posts[index + 1] })),
    )),
    ...(await mapInSteps(postsByTag(posts), ({ tag, tagged }) =>
      plan(tagPath(tag), latestOf(tagged), (modified) => tagPage(tag, tagged, modified)),
    )),
    ...(await mapInSteps(plain, (page) =>
      plan(page.path, page.modified, () =>
        inSections.has(page) ? sectionPage(page, sections) : plainPage(page, page.body()),
      ),
    )),
    ...API_PAGE_PATHS.map((path) => ({ path, isSeldomRead: true, build: () => apiPage(path) })),
  ]

  const style = assetOf('site', 'css', styleSheet(site.accent) + sources.codeStyles)
  const ownIcon = ownIconOf(attachments)
  const frame: Frame = {
    site,
    baseUrl,
    stylesheet: style.path,
    font: FONTS.latin.path,
    icon: ownIcon ?? '/favicon.svg',
  }
  const responses = responsesOf(sources.responses, frame)
  const published = { posts, pages: documents, sections }
  const plannedFiles: PlannedFile[] = [
    ...[...attachments.values()].map(({ address, type, bytes }) => ({ path: address, type, content: () => bytes })),
    ...publicFiles(frame, plans, { ...published, pages: unlisted }, updated, sources.hasMailbox),
    { path: style.path, type: 'text/css; charset=utf-8', content: () => style.content },
    ...Object.values(FONTS).map(({ path, content }) => ({ path, type: 'font/woff2', content: () => content })),
    {
      path: '/openapi.json',
      type: 'application/json; charset=utf-8',
      content: () => JSON.stringify(sources.contentApi),
    },
    ...(ownIcon ? [] : [{ path: '/favicon.svg', type: 'image/svg+xml', content: () => favicon(site.accent) }]),
    ...(calendar ? [graphFile(calendar, site.accent)] : []),
  ]
  const files = new Map(plannedFiles.map((file) => [file.path, responses.file(file)]))
  // Clients that do not read the page's `<link rel="icon">` request /favicon.ico.
  const icon = files.get(frame.icon)
  if (icon && !files.has('/favicon.ico')) files.set('/favicon.ico', icon)
  const drafts = sources.showsDrafts ? draftPages(waitingPages(), baseUrl) : []

  return {
    pages: new Map(await mapInSteps(plans, (page) => [page.path, responses.page(page)] as const)),
    files,
    drafts: new Map(drafts.map((page) => [page.path, responses.draft(page)])),
    frame,
    nextChange: nextScheduled(library, now),
    published,
  }

  function publishedPost(post: Post): PublishedPost {
    return { ...post, ...renderable(post), modified: notFuture(post.modified, post.date) }
  }

  function publishedPage(page: Page): PublishedPage {
    return { ...page, ...renderable(page), modified: notFuture(page.modified, page.date) }
  }

  function renderable({ file, markdown }: Document): Pick<PublishedPage, 'path' | 'source' | 'body'> {
    const body = () => {
      const rendered = render(markdown)
      return { ...rendered, ...linkFiles(file, rendered, addresses, markdownPath) }
    }
    return { path: addresses.get(file) ?? '', source: markdown, body }
  }

  function waitingPages(): WaitingPage[] {
    const isWaiting = (document: Post | Page) => !isPublicNow(document)
    return [
      ...library.posts
        .filter(isWaiting)
        .map(publishedPost)
        .map((document) => ({ document, build: () => postPage(document) })),
      ...library.pages
        .filter(isWaiting)
        .map(publishedPage)
        .map((document) => ({ document, build: () => plainPage(document, document.body()) })),
    ]
  }

  async function apiPage(path: string): Promise<SitePage> {
    const page = (await sources.apiPages()).find((page) => page.path === path)
    if (!page) throw new Error(`there is no API page ${path}`)
    return page
  }
}

function plan(path: string, modified: Date, build: (modified: Date) => SitePage): PlannedPage {
  return { path, modified, build: () => build(modified) }
}

/** Each tag with its posts. The newest post decides the spelling of the tag. */
function postsByTag(posts: PublishedPost[]): { tag: Tag; tagged: PublishedPost[] }[] {
  const tags = new Map<string, { tag: Tag; tagged: PublishedPost[] }>()
  for (const post of posts) {
    for (const tag of post.tags) {
      const known = tags.get(tag.slug)
      if (known) known.tagged.push(post)
      else tags.set(tag.slug, { tag, tagged: [post] })
    }
  }
  return [...tags.values()].sort((a, b) => (a.tag.slug < b.tag.slug ? -1 : 1))
}

// The modification date of pages without content, such as an empty blog.
const PROCESS_START = new Date()

function latestOf(documents: { modified: Date }[]): Date {
  const latest = documents.reduce((latest, { modified }) => Math.max(latest, modified.valueOf()), 0)
  return latest > 0 ? new Date(latest) : PROCESS_START
}

function nextScheduled({ posts, pages }: Library, now: Date): Date | undefined {
  const scheduled = [...posts, ...pages].flatMap(({ isDraft, date }) => (!isDraft && date && date > now ? [date] : []))
  return scheduled.sort((a, b) => Number(a) - Number(b))[0]
}
