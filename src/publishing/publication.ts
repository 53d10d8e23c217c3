import type { Calendar } from '../content/calendar-days.ts'
import { ownIconOf } from '../content/content-faults.ts'
import type { Library } from '../content/library.ts'
import { type Redirects, resolveRedirects } from '../content/redirects.ts'
import { indexRelatedPosts, type RelatedIndex } from '../content/related-posts.ts'
import { yieldToRequests } from '../lib/cooperative-scheduling.ts'
import { LazyMap } from '../lib/lazy-map.ts'
import { type Asset, assetOf } from '../pages/assets.ts'
import { draftPages } from '../pages/drafts.ts'
import { FONTS } from '../pages/fonts.ts'
import { type Frame, LOGO_HEIGHT } from '../pages/layout.ts'
import type { PublishedSection } from '../pages/sections.ts'
import type { PlannedPage, PublishedPage, PublishedPost, SitePage } from '../pages/site-pages.ts'
import { type StyleSheetName, styleSheet } from '../pages/styles.ts'
import type { Pictures } from '../pictures/pictures.ts'
import { attachmentResponse } from './attachment-file.ts'
import { type Cards, cardsOf } from './cards.ts'
import { fullTextFiles } from './full-text.ts'
import { type PagePlans, type Planned, planPages } from './page-plans.ts'
import { type DiskFile, type PageVariants, type PlannedFile, responsesOf } from './page-variants.ts'
import { createPictureRenderer, type PictureRenderer } from './picture-renderer.ts'
import { favicon, graphFile, publicFiles, tagFeeds } from './public-files.ts'
import { latestOf, nextScheduled } from './publication-dates.ts'
import type { PublishDocuments } from './published-documents.ts'
import type { LazyResponse, ResponseCache } from './response-cache.ts'

/**
 * One state of the public site: its responses, by path. Each is made at its first request or ahead of it
 * (background-work.ts). A change of the content makes a new publication.
 */
export interface Publication {
  /** Pages in HTML and in markdown, for content negotiation. */
  pages: LazyMap<Planned, PageVariants>
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
const DEFAULT_ICON_PATH = '/favicon.svg'

/** Makes the plans of all pages and files, as background work. Nothing is rendered here. */
export async function planPublication(sources: Sources, now: Date): Promise<Publication> {
  const { library, baseUrl, pictures } = sources
  const { site, attachments } = library
  const pictureRenderer = createPictureRenderer(library, pictures, baseUrl)
  const { posts, pages: documents, waiting } = await sources.publishDocuments(library, pictureRenderer, now)
  await yieldToRequests()
  const related = await indexRelatedPosts(posts, sources.previousRelated)
  const plans = await planPages({ ...sources, site, posts, documents, related, pictureRenderer })
  const cards = cardsOf({ site, baseUrl }, attachments, plans.find, pictures)
  const { frame, styleSheets } = await createFrame(sources, pictureRenderer)
  const responses = responsesOf(sources.responses, frame)
  const plannedFiles = await planFiles(sources, frame, styleSheets, posts, plans)
  await yieldToRequests()
  const files = new Map<string, LazyResponse | DiskFile>([
    ...[...attachments].map(([path, file]) => [path, attachmentResponse(file, responses, pictures.index)] as const),
    ...plannedFiles.map((file) => [file.path, responses.file(file)] as const),
  ])
  // Clients that do not read the page's `<link rel="icon">` request /favicon.ico.
  const icon = files.get(frame.icon)
  if (icon && !files.has('/favicon.ico')) files.set('/favicon.ico', icon)
  const pages = new LazyMap(plans.byPath, (planned) => responses.page(withCard(plans.planOf(planned), cards)))
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
    published: { posts, pages: documents, sections: plans.sections },
    related,
    redirects,
  }
}

/** A page with a picture of its own keeps it. */
function withCard(page: PlannedPage, cards: Cards): PlannedPage {
  const build = async () => {
    const built = await page.build()
    return { ...built, preview: built.preview ?? cards.of(page) }
  }
  return { ...page, build }
}

/** The frame of all pages, and the style sheets that it names. */
async function createFrame(
  { library, baseUrl, codeStyles }: Sources,
  pictureRenderer: PictureRenderer,
): Promise<{ frame: Frame; styleSheets: Asset<string>[] }> {
  const { site } = library
  const own = library.ownStyles === '' ? undefined : assetOf('own', 'css', library.ownStyles)
  const styleOf = (name: StyleSheetName) => assetOf(name, 'css', styleSheet(name, site) + codeStyles)
  const styles = { public: styleOf('public'), account: styleOf('account'), full: styleOf('full') }
  await yieldToRequests()
  const frame = {
    site,
    baseUrl,
    stylesheets: { public: styles.public.path, account: styles.account.path, full: styles.full.path },
    ownStylesheet: own?.path,
    // The text of the look terminal is in a font of the system.
    font: site.look === 'terminal' ? undefined : FONTS.latin.path,
    icon: ownIconOf(library.attachments) ?? DEFAULT_ICON_PATH,
    logo: pictureRenderer.renderDecoration(site.logo?.address ?? '', 'logo', { height: LOGO_HEIGHT }),
  }
  return { frame, styleSheets: [...Object.values(styles), ...(own ? [own] : [])] }
}

/** The files beside the pages, without the attachments. */
async function planFiles(
  { library, calendar, contentApi, hasMailbox }: Sources,
  frame: Frame,
  styleSheets: Asset<string>[],
  posts: PublishedPost[],
  { find, home, otherPages, sections, unlisted, lists, intro, documentPages, updated }: PagePlans,
): Promise<PlannedFile[]> {
  const { accent } = frame.site
  const feeds = tagFeeds(frame, lists.tags, latestOf)
  await yieldToRequests()
  const indexes = publicFiles(
    frame,
    [home, ...posts, ...otherPages],
    { posts, sections, pages: unlisted, lists },
    updated,
    hasMailbox,
  )
  await yieldToRequests()
  const texts = fullTextFiles(frame, { intro, pages: documentPages, posts, planAt: find })
  await yieldToRequests()
  return [
    ...feeds,
    ...indexes,
    ...texts,
    ...styleSheets.map(({ path, content }) => ({ path, type: CSS, content: () => content })),
    ...Object.values(FONTS).map(({ path, content }) => ({ path, type: 'font/woff2', content: () => content })),
    {
      path: '/openapi.json',
      type: 'application/json; charset=utf-8',
      content: () => JSON.stringify(contentApi),
    },
    ...(ownIconOf(library.attachments)
      ? []
      : [{ path: DEFAULT_ICON_PATH, type: 'image/svg+xml', content: () => favicon(accent) }]),
    ...(calendar ? [graphFile(calendar, accent)] : []),
  ]
}
