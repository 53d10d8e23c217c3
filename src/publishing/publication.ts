import type { Calendar } from '../content/calendar-days.ts'
import { ownIconOf } from '../content/content-faults.ts'
import type { Library } from '../content/library.ts'
import { groupPosts, seriesPositions } from '../content/post-lists.ts'
import { type Redirects, resolveRedirects } from '../content/redirects.ts'
import { indexRelatedPosts, type RelatedIndex, relatedPosts } from '../content/related-posts.ts'
import { filledSections } from '../content/sections.ts'
import { mapInBackground, yieldToRequests } from '../lib/background-turns.ts'
import { LazyMap } from '../lib/lazy-map.ts'
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
  PORTRAIT_SIZE,
  type PublishedPage,
  type PublishedPost,
  plainPage,
  postPage,
  type SitePage,
} from '../pages/site-pages.ts'
import { type StyleSheetName, styleSheet } from '../pages/styles.ts'
import type { Pictures } from '../pictures/pictures.ts'
import { attachmentResponse } from './attachment-file.ts'
import { type Cards, cardsOf } from './cards.ts'
import { fullTextFiles } from './full-text.ts'
import { type DiskFile, type PageVariants, type PlannedFile, responsesOf } from './page-variants.ts'
import { createPictureRenderer } from './picture-renderer.ts'
import { favicon, graphFile, publicFiles, tagFeeds } from './public-files.ts'
import { latestOf, nextScheduled } from './publication-dates.ts'
import type { PublishDocuments } from './published-documents.ts'
import type { LazyResponse, ResponseCache } from './response-cache.ts'

/**
 * One state of the public site: its responses, by path. Each is made when it is first requested. A change of the
 * content makes a new publication.
 */
export interface Publication {
  /** Pages in HTML and in markdown, for content negotiation. */
  pages: LazyMap<PlannedPage | PostIndex, PageVariants>
  files: Map<string, LazyResponse | DiskFile>
  /** Previews of drafts and scheduled documents. Empty in production. */
  drafts: Map<string, LazyResponse>
  frame: Frame
  cards: Cards
  /** The date of the next scheduled document. The publication must be rebuilt then. */
  nextChange: Date | undefined
  published: { posts: PublishedPost[]; pages: PublishedPage[]; sections: PublishedSection[] }
  related: RelatedIndex
  /** The redirects by path. No page and no file has one of these paths. */
  redirects: Redirects
}

/** The index of a post in the list of the posts. */
type PostIndex = number

interface Sources {
  library: Library
  /** The related-posts index of the previous publication. */
  previousRelated: RelatedIndex | undefined
  calendar: Calendar | undefined
  contentApi: object
  apiPages: () => Promise<SitePage[]>
  publishDocuments: PublishDocuments
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

/**
 * Makes the plans of all pages and files, as background work. A plan is the path of a page and the function that
 * renders it. No page is rendered here.
 */
export async function publish(sources: Sources, now: Date): Promise<Publication> {
  const { library, baseUrl, calendar, pictures } = sources
  const pictureRenderer = createPictureRenderer(library, pictures, baseUrl)
  const { site, attachments } = library
  const { posts, pages: documents, waiting } = await sources.publishDocuments(library, pictureRenderer, now)
  const intro = documents.find(({ path }) => path === '/')
  const plain = documents.filter((page) => page !== intro)
  const sections = filledSections(site.sections, plain)
  const inSections = new Set(sections.flatMap(({ pages }) => pages))
  const unlisted = plain.filter((page) => !inSections.has(page))
  const updated = latestOf([...posts, ...documents])
  await yieldToRequests()
  const lists = groupPosts(posts)
  const positions = seriesPositions(lists)
  await yieldToRequests()
  const related = await indexRelatedPosts(posts, sources.previousRelated)

  const documentPages: PlannedPage[] = [
    ...(await mapInBackground(plain, (page) =>
      plan(
        page.path,
        page.modified,
        async () => (inSections.has(page) ? sectionPage(page, sections) : plainPage(page, await page.body())),
        { title: page.title },
      ),
    )),
    ...API_PAGE_PATHS.map((path) => ({ path, isLowPriority: true, build: () => apiPage(path) })),
  ]
  await yieldToRequests()
  const portraitHtml = pictureRenderer.renderDecoration(site.portrait?.address ?? '', 'portrait', {
    width: PORTRAIT_SIZE,
    height: PORTRAIT_SIZE,
  })
  const home = plan(
    '/',
    updated,
    () => homePage({ ...site, portraitHtml }, intro, posts, calendar, sections, updated),
    {
      title: site.title,
    },
  )
  const otherPages: PlannedPage[] = [
    ...(await listPages(posts, lists, latestOf, (path) => baseUrl + markdownPath(path))),
    ...documentPages,
  ]

  await yieldToRequests()
  // The plan of a post is made with its page: ten thousand plans in each publication would lengthen the pauses of the
  // garbage collector.
  const plans = new Map<string, PlannedPage | PostIndex>([
    [home.path, home],
    ...posts.map(({ path }, index) => [path, index] as const),
    ...otherPages.map((page) => [page.path, page] as const),
  ])
  const cards = cardsOf({ site, baseUrl }, attachments, planAt, pictures)

  const ownStyle = library.ownStyles === '' ? undefined : assetOf('own', 'css', library.ownStyles)
  const styleOf = (name: StyleSheetName) => assetOf(name, 'css', styleSheet(name, site) + sources.codeStyles)
  const styles = { public: styleOf('public'), account: styleOf('account'), full: styleOf('full') }
  await yieldToRequests()
  const ownIcon = ownIconOf(attachments)
  const frame: Frame = {
    site,
    baseUrl,
    stylesheets: { public: styles.public.path, account: styles.account.path, full: styles.full.path },
    ownStylesheet: ownStyle?.path,
    // The text of the look terminal is in a font of the system.
    font: site.look === 'terminal' ? undefined : FONTS.latin.path,
    icon: ownIcon ?? '/favicon.svg',
    logo: pictureRenderer.renderDecoration(site.logo?.address ?? '', 'logo', { height: LOGO_HEIGHT }),
  }
  const responses = responsesOf(sources.responses, frame)
  const published = { posts, pages: documents, sections }
  const listedFiles = publicFiles(
    frame,
    [home, ...posts, ...otherPages],
    { posts, sections, pages: unlisted, lists },
    updated,
    sources.hasMailbox,
  )
  await yieldToRequests()
  const plannedFiles: PlannedFile[] = [
    ...tagFeeds(frame, lists.tags, latestOf),
    ...listedFiles,
    ...fullTextFiles(frame, { intro, pages: documentPages, posts, planAt }),
    ...[...Object.values(styles), ownStyle ?? []]
      .flat()
      .map(({ path, content }) => ({ path, type: CSS, content: () => content })),
    ...Object.values(FONTS).map(({ path, content }) => ({ path, type: 'font/woff2', content: () => content })),
    {
      path: '/openapi.json',
      type: 'application/json; charset=utf-8',
      content: () => JSON.stringify(sources.contentApi),
    },
    ...(ownIcon ? [] : [{ path: '/favicon.svg', type: 'image/svg+xml', content: () => favicon(site.accent) }]),
    ...(calendar ? [graphFile(calendar, site.accent)] : []),
  ]
  await yieldToRequests()
  const files = new Map<string, LazyResponse | DiskFile>([
    ...[...attachments].map(([path, file]) => [path, attachmentResponse(file, responses, pictures.index)] as const),
    ...plannedFiles.map((file) => [file.path, responses.file(file)] as const),
  ])
  // Clients that do not read the page's `<link rel="icon">` request /favicon.ico.
  const icon = files.get(frame.icon)
  if (icon && !files.has('/favicon.ico')) files.set('/favicon.ico', icon)
  const pages = new LazyMap(plans, (planned) => responses.page(withCard(planOf(planned))))
  await yieldToRequests()
  const redirects = resolveRedirects({ site, documents: [...posts, ...documents] }, { pages, files })
  await yieldToRequests()
  const drafts = sources.showsDrafts ? draftPages(waiting(), baseUrl) : []
  const nextChange = nextScheduled(library, now)
  await yieldToRequests()

  return {
    pages,
    files,
    drafts: new Map(drafts.map((page) => [page.path, responses.draft(page)])),
    frame,
    cards,
    nextChange,
    published,
    related,
    redirects,
  }

  function planAt(path: string): PlannedPage | undefined {
    const planned = plans.get(path)
    return planned === undefined ? undefined : planOf(planned)
  }

  function planOf(planned: PlannedPage | PostIndex): PlannedPage {
    return typeof planned === 'number' ? planPost(planned) : planned
  }

  function planPost(index: PostIndex): PlannedPage {
    const [newer, post, older] = [posts[index - 1], posts[index], posts[index + 1]]
    if (!post) throw new Error(`there is no post ${index}`)
    const links = () => ({
      newer,
      older,
      series: positions.get(post),
      related: relatedPosts(related, posts, index, [newer, older]),
    })
    return plan(post.path, post.modified, () => postPage(post, links()), post)
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
  build: (modified: Date) => Promise<SitePage>,
  { title, date }: NonNullable<PlannedPage['card']>,
): PlannedPage {
  return { path, modified, card: { title, date }, build: () => build(modified) }
}
