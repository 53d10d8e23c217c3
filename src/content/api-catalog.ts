interface Target {
  href: string
  type: string
}

export const API_CATALOG_PATH = '/.well-known/api-catalog'
/** The media type of RFC 9264, with the profile of RFC 9727, section 4. */
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

const JSON_TYPE = 'application/json'

/** The OpenAPI documents, and the page about them. */
export function serviceLinks(baseUrl: string): [documents: Target[], page: Target] {
  return [
    [
      { href: `${baseUrl}/openapi.json`, type: JSON_TYPE },
      { href: `${baseUrl}/api/openapi.json`, type: JSON_TYPE },
    ],
    { href: `${baseUrl}/docs`, type: 'text/html' },
  ]
}

/** The catalog of the APIs (RFC 9727), as a linkset (RFC 9264). */
export function createApiCatalog(baseUrl: string): string {
  const api = (anchor: string, openApi: string, page: string) => ({
    anchor: baseUrl + anchor,
    'service-desc': [{ href: baseUrl + openApi, type: JSON_TYPE }],
    'service-doc': [
      { href: baseUrl + page, type: 'text/html' },
      { href: `${baseUrl}${page}.md`, type: 'text/markdown' },
    ],
    status: [{ href: `${baseUrl}/healthz`, type: JSON_TYPE }],
  })
  return JSON.stringify({
    linkset: [api('/', '/openapi.json', '/docs/content-api'), api('/api', '/api/openapi.json', '/docs/account-api')],
  })
}

/** A HEAD request finds the catalog by this `Link` (RFC 9727, section 2). */
export function apiCatalogHeaders(baseUrl: string): { link: string } {
  return { link: `<${baseUrl}${API_CATALOG_PATH}>; rel="api-catalog"; type="application/linkset+json"` }
}
