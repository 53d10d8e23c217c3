import type { Calendar } from '../content/calendar-days.ts'
import { groupPosts, type PostLists, seriesPositions } from '../content/post-lists.ts'
import { type RelatedIndex, relatedPosts } from '../content/related-posts.ts'
import { filledSections } from '../content/sections.ts'
import type { Site } from '../content/site.ts'
import { mapInBackground, yieldToRequests } from '../lib/cooperative-scheduling.ts'
import { API_PAGE_PATHS } from '../pages/api/api-docs.ts'
import { markdownPath } from '../pages/layout.ts'
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
import type { PictureRenderer } from './picture-renderer.ts'
import { latestOf } from './publication-dates.ts'

/** A plan, or the index of a post, whose plan is made with its page. */
export type Planned = PlannedPage | number

/** The plans of all pages of a publication: the path of a page and the function that renders it. */
export interface PagePlans {
  byPath: Map<string, Planned>
  find(path: string): PlannedPage | undefined
  planOf(planned: Planned): PlannedPage
  home: PlannedPage
  /** The pages that are documents, and the pages about the APIs. */
  documentPages: PlannedPage[]
  /** `documentPages` and the lists of posts. */
  otherPages: PlannedPage[]
  /** The text of the home page. */
  intro: PublishedPage | undefined
  sections: PublishedSection[]
  /** The pages that are in no section. */
  unlisted: PublishedPage[]
  lists: PostLists<PublishedPost>
  /** The latest change of a document. */
  updated: Date
}

interface Sources {
  site: Site
  baseUrl: string
  posts: PublishedPost[]
  documents: PublishedPage[]
  related: RelatedIndex
  calendar: Calendar | undefined
  pictureRenderer: PictureRenderer
  apiPages: () => Promise<SitePage[]>
}

/** Plans all pages, as background work. No page is rendered here. */
export async function planPages(sources: Sources): Promise<PagePlans> {
  const { site, baseUrl, posts, documents, related, calendar } = sources
  const intro = documents.find(({ path }) => path === '/')
  const plain = documents.filter((page) => page !== intro)
  const sections = filledSections(site.sections, plain)
  const inSections = new Set(sections.flatMap(({ pages }) => pages))
  const updated = latestOf([...posts, ...documents])
  await yieldToRequests()
  const lists = await groupPosts(posts)
  const positions = seriesPositions(lists)
  await yieldToRequests()

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
  const portraitHtml = sources.pictureRenderer.renderDecoration(site.portrait?.address ?? '', 'portrait', {
    width: PORTRAIT_SIZE,
    height: PORTRAIT_SIZE,
  })
  const home = plan(
    '/',
    updated,
    () => homePage({ ...site, portraitHtml }, intro, posts, calendar, sections, updated),
    { title: site.title },
  )
  const otherPages: PlannedPage[] = [
    ...(await listPages(posts, lists, latestOf, (path) => baseUrl + markdownPath(path))),
    ...documentPages,
  ]
  await yieldToRequests()
  // The plan of a post is made with its page: ten thousand plans in each publication would lengthen the pauses of the
  // garbage collector.
  const byPath = new Map<string, Planned>([
    [home.path, home],
    ...posts.map(({ path }, index) => [path, index] as const),
    ...otherPages.map((page) => [page.path, page] as const),
  ])
  const unlisted = plain.filter((page) => !inSections.has(page))
  return { byPath, find, planOf, home, documentPages, otherPages, intro, sections, unlisted, lists, updated }

  function find(path: string): PlannedPage | undefined {
    const planned = byPath.get(path)
    return planned === undefined ? undefined : planOf(planned)
  }

  function planOf(planned: Planned): PlannedPage {
    return typeof planned === 'number' ? planPost(planned) : planned
  }

  function planPost(index: number): PlannedPage {
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

  async function apiPage(path: string): Promise<SitePage> {
    const page = (await sources.apiPages()).find((page) => page.path === path)
    if (!page) throw new Error(`there is no API page ${path}`)
    return page
  }
}

function plan(
  path: string,
  modified: Date,
  build: () => Promise<SitePage>,
  { title, date }: NonNullable<PlannedPage['card']>,
): PlannedPage {
  return { path, modified, card: { title, date }, build }
}
