import type { Rendered } from '../../content/markdown.ts'
import { mapOneByOne } from '../../lib/one-by-one.ts'
import type { SitePage } from '../site-pages.ts'
import { INDEX_PATH, indexPage } from './index-page.ts'
import { readApi } from './operations.ts'
import { referencePage } from './reference-page.ts'

const OPENAPI_PATHS: Record<string, string> = { 'account-api': '/api/openapi.json', 'content-api': '/openapi.json' }

/** The paths of the pages that `apiDocs` makes. */
export const API_PAGE_PATHS = [INDEX_PATH, ...Object.keys(OPENAPI_PATHS).map(referencePath)]

/** The pages of the OpenAPI documents: an entry page, and a reference of each. */
export async function apiDocs(
  descriptions: Record<string, object>,
  render: (markdown: string) => Rendered,
): Promise<SitePage[]> {
  const references = await mapOneByOne(Object.entries(descriptions), ([name, document]) => {
    const api = readApi(document, (markdown) => [...render(markdown).headings.values()])
    return { api, path: referencePath(name), openApiPath: OPENAPI_PATHS[name] ?? '' }
  })
  const pages = await mapOneByOne(references, (reference) => referencePage(reference, render))
  return [indexPage(references), ...pages]
}

function referencePath(name: string): string {
  return `${INDEX_PATH}/${name}`
}
