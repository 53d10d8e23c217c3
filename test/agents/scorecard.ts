// The rules of the Agent Readability Scorecard 0.2.0 (https://a14y.dev), checked by code of our own. Each rule has the id of
// the scorecard. The rules that do not apply are in RULES_LEFT_OUT, with the reason.

/** The rules that are left out, or for some pages, with the reason. */
export const RULES_LEFT_OUT = new Map([
  ['sitemap-md.exists', '/llms.txt is the list of all pages in markdown'],
  ['sitemap-md.has-structure', '/llms.txt is the list of all pages in markdown'],
  ['agents-md.has-min-sections', 'sections about installation and configuration are for the documentation of software'],
  ['discovery.indexed', 'the pages that are checked are those of the sitemap'],
  ['html.headings', 'how many headings a text has is up to its author'],
  ['html.text-ratio', 'depends on the length of the text'],
  ['html.glossary-link', 'the site has no glossary'],
  ['markdown.sitemap-section', 'a line at the start of each text leads to /llms.txt'],
])

// The references of the APIs change with the version of Portico, and have no date of their own.
const PAGES_WITHOUT_DATE = /^\/docs(?:\/|$)/
const AI_BOTS = ['GPTBot', 'ClaudeBot', 'CCBot', 'Google-Extended']

interface Response {
  status: number
  headers: Headers
  body: string
}

export interface RuleResult {
  id: string
  /** The number of pages, links or files that were checked. */
  count: number
  failures: string[]
}

async function fetchText(address: string, accept = '*/*'): Promise<Response> {
  const response = await fetch(address, { headers: { accept }, redirect: 'manual' })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

/** The results of all rules for a site and for the pages of its sitemap. */
export async function checkScorecard(baseUrl: string): Promise<RuleResult[]> {
  const results = new Map<string, RuleResult>()
  const check = (id: string, isMet: unknown, subject: string) => {
    const result = results.get(id) ?? { id, count: 0, failures: [] }
    result.count++
    if (!isMet) result.failures.push(subject)
    results.set(id, result)
  }
  const pages = await checkSite(baseUrl, check)
  for (const page of pages) await checkPage(page, check)
  return [...results.values()]
}

type Check = (id: string, isMet: unknown, subject: string) => void

/** Returns the pages of the sitemap. */
async function checkSite(baseUrl: string, check: Check): Promise<string[]> {
  const [llms, full, robots, sitemap] = await Promise.all(
    ['/llms.txt', '/llms-full.txt', '/robots.txt', '/sitemap.xml'].map((path) => fetchText(baseUrl + path)),
  )
  check('llms-txt.exists', llms?.status === 200, '/llms.txt')
  check('llms-txt.content-type', typeOf(llms).startsWith('text/plain'), typeOf(llms))
  check('llms-txt.non-empty', llms?.body.trim(), '/llms.txt')
  // The whole text of the site is markdown too, under the name that agents know.
  const links = [...(llms?.body ?? '').matchAll(/\]\(([^)\s]+)/g)].map(([, link = '']) => link)
  for (const link of links.filter((link) => !link.endsWith('/llms-full.txt')))
    check('llms-txt.md-extensions', link.endsWith('.md'), link)
  check('agents-md.exists', full?.status === 200, '/llms-full.txt')
  check('robots-txt.exists', robots?.status === 200, '/robots.txt')
  const rules = robots?.body ?? ''
  for (const bot of AI_BOTS) check('robots-txt.allows-ai-bots', !rules.includes(bot), bot)
  check('robots-txt.allows-llms-txt', !/^Disallow: *(?:\/|\/llms\S*|\*) *$/im.test(rules), rules)
  check('sitemap-xml.exists', sitemap?.status === 200, '/sitemap.xml')
  const entries = [
    ...(sitemap?.body ?? '').matchAll(/<url><loc>([^<]+)<\/loc>(?:<lastmod>([^<]+)<\/lastmod>)?<\/url>/g),
  ]
  check('sitemap-xml.valid', entries.length > 0, '/sitemap.xml')
  for (const [, page = '', modified = ''] of entries)
    if (!PAGES_WITHOUT_DATE.test(new URL(page).pathname))
      check('sitemap-xml.has-lastmod', Number.isFinite(Date.parse(modified)), page)
  return entries.map(([, page = '']) => page)
}

async function checkPage(page: string, check: Check): Promise<void> {
  const { pathname } = new URL(page)
  const { status, headers, body } = await fetchText(page, 'text/html')
  check('http.status-200', status === 200, page)
  check('http.redirect-chain', status === 200, page)
  check('http.content-type-html', headers.get('content-type') === 'text/html; charset=utf-8', page)
  check('http.no-noindex-noai', !/noindex|noai|noimageai/.test(headers.get('x-robots-tag') ?? ''), page)
  check('html.canonical-link', body.includes(`<link rel="canonical" href="${page}">`), page)
  check('html.meta-description', /<meta name="description" content="[^"]/.test(body), page)
  check('html.og-title', /<meta property="og:title" content="[^"]/.test(body), page)
  check('html.og-description', /<meta property="og:description" content="[^"]/.test(body), page)
  check('html.lang-attribute', /<html lang="[^"]/.test(body), page)
  const parts = structuredDataOf(body)
  check('html.json-ld', parts.length > 0, page)
  if (!PAGES_WITHOUT_DATE.test(pathname))
    check(
      'html.json-ld.date-modified',
      parts.some(({ dateModified }) => Number.isFinite(Date.parse(String(dateModified)))),
      page,
    )
  // The home page is the first one of every trail.
  if (pathname !== '/')
    check(
      'html.json-ld.breadcrumb',
      parts.some((part) => part['@type'] === 'BreadcrumbList'),
      page,
    )
  check('markdown.alternate-link', /<link rel="alternate" type="text\/markdown" href="[^"]/.test(body), page)
  const mirror = await fetchText(pathname === '/' ? `${page}index.md` : `${page}.md`)
  check('markdown.mirror-suffix', mirror.status === 200, page)
  // A blog has no versions. The date of the last change is `updated`, for texts that have one.
  for (const field of ['title', 'description'])
    check('markdown.frontmatter', new RegExp(`^---\\n(?:[^-].*\\n)*?${field}: `).test(mirror.body), `${page}: ${field}`)
  check('markdown.canonical-header', mirror.headers.get('link')?.includes(`<${page}>; rel="canonical"`), page)
  const negotiated = await fetchText(page, 'text/markdown')
  check('markdown.content-negotiation', typeOf(negotiated).startsWith('text/markdown'), page)
  for (const [block] of body.matchAll(/<pre[^>]*><code[^>]*>/g))
    check('code.language-tags', / class="language-\w/.test(block), `${page}: ${block}`)
  if (/-api$/.test(pathname)) check('api.schema-link', /<a [^>]*href="[^"]*openapi\.json"/.test(body), page)
}

function typeOf(response: Response | undefined): string {
  return response?.headers.get('content-type') ?? ''
}

function structuredDataOf(body: string): Record<string, unknown>[] {
  const blocks = body.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)
  return [...blocks].flatMap(([, text = '']) => JSON.parse(text)['@graph'])
}
