import { pageOf } from '../../content/page-paths.ts'
import { localPathOf } from '../../content/redirects.ts'
import type { Found } from '../../content/search/find-pages.ts'
import { dereference } from '../../http/openapi-references.ts'
import type { ApiDescriptions } from '../../pages/api/api-docs.ts'
import type { Frame } from '../../pages/layout.ts'
import type { PublishedPage, PublishedPost } from '../../pages/site-pages.ts'
import { isPage, type PageVariants } from '../page-variants.ts'
import type { Publisher } from '../publisher.ts'
import { findRedirect } from '../send-redirect.ts'

/** The content that an agent can read: that of the public pages, never drafts, scheduled posts or accounts. */
export interface SiteReader {
  frame: Frame
  /** Undefined if the site has no search. Resolves to undefined while the search is being prepared. */
  search: ((query: string) => Promise<Found | undefined>) | undefined
  list(asked: ListQuery): Listing | undefined
  /** The markdown of the page at a path or URL of this site, or at a former one. Undefined if there is none. */
  read(address: string): Promise<string | undefined>
  /** The OpenAPI document, without references. */
  describe(api: ApiName): OpenApi
}

type ApiName = 'account' | 'content'

interface OpenApi {
  paths: Record<string, Record<string, { summary?: string }>>
}

interface ListQuery {
  kind: 'posts' | 'pages'
  tag?: string | undefined
  year?: number | undefined
  /** The path of the last entry of the part before this one. */
  after?: string | undefined
  limit: number
}

interface Listing {
  entries: (PublishedPost | PublishedPage)[]
  total: number
  next: string | undefined
}

const dereferenced = new WeakMap<object, OpenApi>()

/** An OpenAPI document without references. It is made once: that of the account API takes some milliseconds. */
function withoutReferences(description: object): OpenApi {
  const known = dereferenced.get(description) ?? (dereference(description) as OpenApi)
  dereferenced.set(description, known)
  return known
}

/** Reads from the newest publication. */
export function createSiteReader(publisher: Publisher, descriptions: ApiDescriptions): SiteReader {
  const frame = publisher.frame()
  return {
    frame,
    search: frame.site.search ? publisher.search : undefined,
    list,
    read,
    describe: (api) => withoutReferences(descriptions.get(`${api}-api`) ?? {}),
  }

  /** Undefined if `after` is not one of the entries. */
  function list({ kind, tag, year, after, limit }: ListQuery): Listing | undefined {
    const wanted = tag?.trim().toLowerCase()
    const all: (PublishedPost | PublishedPage)[] = publisher.published()[kind]
    const matching = all.filter(
      ({ tags, date }) =>
        (wanted === undefined || tags.some(({ slug, name }) => slug === wanted || name.toLowerCase() === wanted)) &&
        (year === undefined || date?.getUTCFullYear() === year),
    )
    const last = after === undefined ? -1 : matching.findIndex(({ path }) => path === after)
    if (after !== undefined && last < 0) return undefined
    const entries = matching.slice(last + 1, last + 1 + limit)
    const isEnd = last + 1 + limit >= matching.length
    return { entries, total: matching.length, next: isEnd ? undefined : entries.at(-1)?.path }
  }

  async function read(address: string): Promise<string | undefined> {
    const url = URL.parse(address, frame.baseUrl)
    if (url?.origin !== new URL(frame.baseUrl).origin) return undefined
    const path = localPathOf(url.pathname) ?? ''
    const page = pageAt(path) ?? pageAt(localPathOf(findRedirect(publisher, path) ?? '') ?? '')
    if (!page) return undefined
    const { bytes } = page.markdown.ready ?? (await page.markdown.prepare())
    return bytes.identity.toString()
  }

  function pageAt(path: string): PageVariants | undefined {
    const content = publisher.find(pageOf(path))
    return isPage(content) ? content : undefined
  }
}
