import { withAddresses } from '../content/addresses.ts'
import { Html, html } from './html.ts'
import type { PageParts } from './layout.ts'
import type { SitePage } from './site-pages.ts'

const FOLDER = '/dev/drafts'

/** What is not public yet as its author sees it in development, at addresses that production does not have. */
export function draftPages(pages: SitePage[], baseUrl: string): PageParts[] {
  const drafts = pages.map((page) => ({
    ...page,
    path: FOLDER + page.path,
    isIndexed: false,
    main: new Html(withAddresses(page.main.text, baseUrl + page.path, (url) => onThisHost(url, baseUrl))),
  }))
  const main = html`<h1>Drafts</h1>
<p class="lead">Not public yet: drafts, and what is dated in the future. Only development shows this page.</p>
${drafts.length === 0 && html`<p class="meta">Nothing is waiting.</p>`}
<ul class="posts">${drafts.map(({ path, title, description }) => html`<li><div><a href="${path}">${title || path}</a>${description && html`<p>${description}</p>`}</div></li>`)}</ul>`
  return [{ path: FOLDER, title: 'Drafts', description: 'Not public yet', isIndexed: false, main }, ...drafts]
}

function onThisHost(url: URL, baseUrl: string): string {
  return url.origin === new URL(baseUrl).origin ? url.pathname + url.search + url.hash : url.href
}
