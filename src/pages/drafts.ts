import { withAddresses } from '../content/addresses.ts'
import type { Document } from '../content/document.ts'
import { longDate, longMoment } from '../lib/dates.ts'
import { devPageMain } from './dev-page.ts'
import { Html, html } from './html.ts'
import type { PageParts } from './layout.ts'
import type { SitePage } from './site-pages.ts'

const FOLDER = '/dev/drafts'

/** A page that is not public yet, with the fields that tell why. */
export interface WaitingPage {
  page: SitePage
  document: Pick<Document, 'isDraft' | 'date'>
}

/** Previews of pages that are not public yet, with a list of them. Only in development. */
export function draftPages(waiting: WaitingPage[], baseUrl: string): PageParts[] {
  const paths = new Set(waiting.map(({ page }) => page.path))
  const drafts = waiting.map(({ page, document }) => ({
    ...page,
    path: FOLDER + page.path,
    label: labelOf(document),
    isIndexed: false,
    main: new Html(withAddresses(page.main.text, baseUrl + page.path, previewAddress)),
  }))
  const list = html`<ul class="posts">${drafts.map(({ path, title, description, label }) => html`<li>${labelled(label)}<div dir="auto"><a href="${path}">${title || path}</a>${description && html`<p>${description}</p>`}</div></li>`)}</ul>`
  const main = devPageMain({
    path: FOLDER,
    intro: 'Not public yet: drafts, and what is dated in the future.',
    main: drafts.length > 0 ? list : html`<p class="empty">Nothing is waiting.</p>`,
  })
  return [
    { path: FOLDER, title: 'Drafts', description: 'Not public yet', isIndexed: false, main },
    ...drafts.map(({ label, ...page }) => ({
      ...page,
      title: `${label}: ${page.title || page.path}`,
      main: html`${labelled(label, html` <a href="${FOLDER}">All drafts</a>`)}
${page.main}`,
    })),
  ]

  /** Links to other drafts lead to their previews. */
  function previewAddress({ origin, pathname, search, hash, href }: URL): string {
    if (origin !== new URL(baseUrl).origin) return href
    return (paths.has(pathname) ? FOLDER : '') + pathname + search + hash
  }
}

/** "Draft", or "Scheduled for 1 December 2026 at 09:00 UTC". */
function labelOf({ isDraft, date }: WaitingPage['document']): string {
  if (isDraft || !date) return 'Draft'
  const isMidnight = date.valueOf() % (24 * 60 * 60 * 1000) === 0
  return `Scheduled for ${isMidnight ? longDate(date) : longMoment(date)}`
}

function labelled(label: string, link?: Html): Html {
  return html`<p class="waiting"><span class="badge warn">${label}</span>${link}</p>`
}
