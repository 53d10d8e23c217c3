import { API_CATALOG_PATH, serviceLinks } from '../content/api-catalog.ts'
import { markdownPath } from '../pages/layout.ts'
import { LLMS_PATH } from '../pages/page-markdown.ts'

// The pages at which a program looks for an API.
const API_PAGES = /^\/(docs(\/.*)?)?$/

/** The `Link` headers (RFC 8288) of a page in its two variants. `search` is the query of its address, with the `?`. */
export function linkHeaders(baseUrl: string, path: string, search = ''): { html: string; markdown: string } {
  const common = [
    link(baseUrl + LLMS_PATH, 'describedby', 'text/plain'),
    ...(API_PAGES.test(path) ? apiLinks(baseUrl) : []),
  ]
  const canonical = `<${baseUrl}${path}${search}>; rel="canonical"`
  const alternate = link(baseUrl + markdownPath(path) + search, 'alternate', 'text/markdown')
  return { html: [alternate, canonical, ...common].join(', '), markdown: [canonical, ...common].join(', ') }
}

/** RFC 8631 for the descriptions, and RFC 9727, section 3, for the catalog of them. */
function apiLinks(baseUrl: string): string[] {
  const [documents, page] = serviceLinks(baseUrl)
  return [
    ...documents.map(({ href, type }) => link(href, 'service-desc', type)),
    link(page.href, 'service-doc', page.type),
    link(baseUrl + API_CATALOG_PATH, 'api-catalog', 'application/linkset+json'),
  ]
}

function link(url: string, rel: string, type: string): string {
  return `<${url}>; rel="${rel}"; type="${type}"`
}
