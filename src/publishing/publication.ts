import { setImmediate } from 'node:timers/promises'
import type { Calendar } from '../content/calendar-days.ts'
import { ownIconOf } from '../content/content-faults.ts'
import type { Library } from '../content/library.ts'
import type { Rendered } from '../content/markdown.ts'
import { groupPosts, seriesPlaces } from '../content/post-lists.ts'
import { type Redirects, resolveRedirects } from '../content/redirects.ts'
import { indexRelatedPosts, type RelatedIndex, relatedPosts } from '../content/related-posts.ts'
import { filledSections } from '../content/sections.ts'
import { LazyMap } from '../lib/lazy-map.ts'
import { mapInSteps } from '../lib/one-by-one.ts'
import { API_PAGE_PATHS } from '../pages/api/api-docs.ts'
import { assetOf } from '../pages/assets.ts'
import { draftPages } from '../pages/drafts.ts'
import { FONTS } from '../pages/fonts.ts'
import { type Frame, LOGO_HEIGHT, markdownPath } from '../pages/layout.ts'
import { listPages } from '../pages/list-pages.ts'
import { sectionPage } from '../pages/section-page.ts'
import type { PublishedSection } from '../pages/sections.ts'
import {
  homePage,
  type PlannedPage,
  type PublishedPage,
  type PublishedPost,
  plainPage,
  postPage,
  type SitePage,
} from '../pages/site-pages.ts'
import { styleSheet } from '../pages/styles.ts'
import type { Pictures } from '../pictures/pictures.ts'
import { attachmentResponse } from './attachment-file.ts'
import { type Cards, cardsOf } from './cards.ts'
import { documentPictures } from './document-pictures.ts'
import { fullTextFiles } from './full-text.ts'
import { type PageVariants, type PlannedFile, responsesOf, type SentFile } from './page-variants.ts'
import { favicon, graphFile, publicFiles, tagFeeds } from './public-files.ts'
import { publishedDocuments } from './published-documents.ts'
import type { LazyResponse, ResponseCache } from './response-cache.ts'

/** The responses of one edition of the site, by path. Each is made when it is first requested. */
export interface Publication {
  /** Pages in HTML and in markdown, for content negotiation. */
  pages: LazyMap<PlannedPage, PageVariants>
  files: Map<string, LazyResponse | SentFile>
  /** Previews of drafts and scheduled documents. Empty in production. */
  drafts: Map<string, LazyResponse>
  frame: Frame
  cards: Cards
  /** The date of the next scheduled document. The publication must be rebuilt then. */
  nextChange: Date | undefined
  published: { posts: PublishedPost[]; pages: PublishedPage[]; sections: PublishedSection[] }
  related: RelatedIndex
  /** The paths that lead to other addresses. No page and no file has one of them. */
  redirects: Redirects
}

interface Sources {
  library: Library
  /** That of the publication before this one. */
  formerRelated: RelatedIndex | undefined
  calendar: Calendar | undefined
  contentApi: object
  apiPages: () => Promise<SitePage[]>
  render: (markdown: string) => Rendered
  /** The style sheet of highlighted code. */
  codeStyles: string
  responses: ResponseCache
  pictures: Pictures
  baseUrl: string
  showsDrafts: boolean
  /** Whether the development mailbox is in use. */
  hasMailbox: boolean
}

const CSS = 'text/css; charset=utf-8'

/** Plans the pages and files of the site, in short steps of the event loop. None of them is rendered here. */
export async function publish(sources: Sources, now: Date): Promise<Publication> {
  const { library, baseUrl, calendar, render, pictures } = sources
  const shown = documentPictures(library, pictures, baseUrl)
  const { site, attachments } = library
  const { posts, pages: documents, waiting } = await publishedDocuments({ library, render, shown, baseUrl }, now)
  const intro = documents.find(({ path }) => path === '/')
  const plain = documents.filter((page) => page !== intro)
  const sections = filledSections(site.sections, plain)
  const inSections = new Set(sections.flatMap(({ pages }) => pages))
  const unlisted = plain.filter((page) => !inSections.has(page))
  const updated = latestOf([...posts, ...documents])
  await setImmediate()
  const lists = groupPosts(posts)
  const places = seriesPlaces(lists)
  const related = await indexRelatedPosts(posts, sources.formerRelated)

  const postPages = await mapInSteps(posts.entries(), ([index, post]) => {
    const [newer, older] = [posts[index - 1], posts[index + 1]]
    const links = () => ({
      newer,
      older,
      series: places.get(post),
      related: relatedPosts(related, posts, index, [newer, older]),
    })
    return plan(post.path, post.modified, () => postPage(post, links()), post)
  })
  const documentPages: PlannedPage[] = [
    ...(await mapInSteps(plain, (page) =>
      plan(
        page.path,
        page.modified,
        () => (inSections.has(page) ? sectionPage(page, sections) : plainPage(page, page.body())),
        { title: page.title },
      ),
    )),
    ...API_PAGE_PATHS.map((path) => ({ path, isSeldomRead: true, build: () => apiPage(path) })),
  ]
  await setImmediate()
  const plans: PlannedPage[] = [
    plan('/', updated, () => homePage(site, intro, posts, calendar, sections, updated), { title: site.title }),
    ...postPages,
    ...listPages(posts, lists, latestOf, (path) => baseUrl + markdownPath(path)),
    ...documentPages,
  ]

  await setImmediate()
  const pagesByPath = new Map(plans.map((page) => [page.path, page]))
  const cards = cardsOf({ site, baseUrl }, attachments, (path) => pagesByPath.get(path), pictures)

  const ownStyle = library.ownStyles === '' ? undefined : assetOf('own', 'css', library.ownStyles)
  const style = assetOf('site', 'css', styleSheet(site) + sources.codeStyles)
  const ownIcon = ownIconOf(attachments)
  const frame: Frame = {
    site,
    baseUrl,
    stylesheet: style.path,
    ownStylesheet: ownStyle?.path,
    font: FONTS.latin.path,
    icon: ownIcon ?? '/favicon.svg',
    logoWidth: shown.widthOf(site.logo, LOGO_HEIGHT),
  }
  const responses = responsesOf(sources.responses, frame)
  const published = { posts, pages: documents, sections }
  const listedFiles = publicFiles(
    frame,
    plans,
    { posts, sections, pages: unlisted, lists },
    updated,
    sources.hasMailbox,
  )
  await setImmediate()
  const plannedFiles: PlannedFile[] = [
    ...tagFeeds(frame, lists.tags, latestOf),
    ...listedFiles,
    ...fullTextFiles(frame, { intro, pages: documentPages, posts, postPages }),
    ...[style, ownStyle ?? []].flat().map(({ path, content }) => ({ path, type: CSS, content: () => content })),
    ...Object.values(FONTS).map(({ path, content }) => ({ path, type: 'font/woff2', content: () => content })),
    {
      path: '/openapi.json',
      type: 'application/json; charset=utf-8',
      content: () => JSON.stringify(sources.contentApi),
    },
    ...(ownIcon ? [] : [{ path: '/favicon.svg', type: 'image/svg+xml', content: () => favicon(site.accent) }]),
    ...(calendar ? [graphFile(calendar, site.accent)] : []),
  ]
  await setImmediate()
  const files = new Map<string, LazyResponse | SentFile>([
    ...[...attachments].map(([path, file]) => [path, attachmentResponse(file, responses, pictures.index)] as const),
    ...plannedFiles.map((file) => [file.path, responses.file(file)] as const),
  ])
  // Clients that do not read the page's `<link rel="icon">` request /favicon.ico.
  const icon = files.get(frame.icon)
  if (icon && !files.has('/favicon.ico')) files.set('/favicon.ico', icon)
  const pages = new LazyMap(pagesByPath, (page) => responses.page(withCard(page)))
  await setImmediate()
  const redirects = resolveRedirects(
    { site, documents: [...posts, ...documents] },
    (path) => pages.has(path) || files.has(path),
  )
  await setImmediate()
  const drafts = sources.showsDrafts ? draftPages(waiting(), baseUrl) : []

  return {
    pages,
    files,
    drafts: new Map(drafts.map((page) => [page.path, responses.draft(page)])),
    frame,
    cards,
    nextChange: nextScheduled(library, now),
    published,
    related,
    redirects,
  }

  /** A page with a picture of its own keeps it. */
  function withCard(page: PlannedPage): PlannedPage {
    const build = async () => {
      const built = await page.build()
      return { ...built, preview: built.preview ?? cards.of(page) }
    }
    return { ...page, build }
  }

  async function apiPage(path: string): Promise<SitePage> {
    const page = (await sources.apiPages()).find((page) => page.path === path)
    if (!page) throw new Error(`there is no API page ${path}`)
    return page
  }
}

function plan(
  path: string,
  modified: Date,
  build: (modified: Date) => SitePage,
  { title, date }: NonNullable<PlannedPage['card']>,
): PlannedPage {
  return { path, modified, card: { title, date }, build: () => build(modified) }
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
