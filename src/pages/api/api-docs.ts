import type { LazyMap } from '../../lib/lazy-map.ts'
import { mapOneByOne } from '../../lib/one-by-one.ts'
import type { SitePage } from '../site-pages.ts'
import { INDEX_PATH, indexPage } from './index-page.ts'
import { readApi } from './operations.ts'
import { type RenderedGuide, referencePage } from './reference-page.ts'

const OPENAPI_PATHS: Record<string, string> = { 'account-api': '/api/openapi.json', 'content-api': '/openapi.json' }

/** The OpenAPI documents by the names of their pages. Each is made when it is first read. */
export type ApiDescriptions = Pick<LazyMap<unknown, object>, 'keys' | 'get'>

/** The paths of the pages that `apiDocs` makes. */
export const API_PAGE_PATHS = [INDEX_PATH, ...Object.keys(OPENAPI_PATHS).map(referencePath)]

/** The pages of the OpenAPI documents: an entry page, and a reference of each. */
export async function apiDocs(
  descriptions: ApiDescriptions,
  render: (markdown: string) => RenderedGuide,
): Promise<SitePage[]> {
  const references = await mapOneByOne([...descriptions.keys()], (name) => {
    const api = readApi(descriptions.get(name) ?? {}, (markdown) => [...render(markdown).headings.values()])
    return { api, path: referencePath(name), openApiPath: OPENAPI_PATHS[name] ?? '' }
  })
  const pages = await mapOneByOne(references, (reference) => referencePage(reference, render))
  return [indexPage(references), ...pages]
}

function referencePath(name: string): string {
  return `${INDEX_PATH}/${name}`
}
