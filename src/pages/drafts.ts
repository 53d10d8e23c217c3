import { withAddresses } from '../content/addresses.ts'
import type { Document } from '../content/document.ts'
import { DAY_MS, longDate, longMoment } from '../lib/dates.ts'
import { devPageMain } from './dev-page.ts'
import { Html, html } from './html.ts'
import type { PageContent } from './layout.ts'
import type { PlannedPage, SitePage } from './site-pages.ts'

const FOLDER = '/dev/drafts'

/** A page that is not public yet, with the fields that give the reason. */
export interface WaitingPage {
  document: Pick<Document, 'isDraft' | 'date' | 'title' | 'description'> & { path: string }
  build(): Promise<SitePage>
}

/** Previews of pages that are not public yet, with a list of them. Only in development. */
export function draftPages(waiting: WaitingPage[], baseUrl: string): PlannedPage<PageContent>[] {
  const paths = new Set(waiting.map(({ document }) => document.path))
  return [
    { path: FOLDER, build: () => draftList(waiting) },
    ...waiting.map(({ document, build }) => ({
      path: FOLDER + document.path,
      build: async () => preview(await build(), labelOf(document)),
    })),
  ]

  function preview(page: SitePage, label: string): PageContent {
    const main = new Html(withAddresses(page.main.text, baseUrl + page.path, previewAddress))
    return {
      ...page,
      path: FOLDER + page.path,
      title: `${label}: ${page.title || FOLDER + page.path}`,
      isIndexed: false,
      main: html`${labelled(label, html` <a href="${FOLDER}">All drafts</a>`)}
${main}`,
    }
  }

  /** Links to other drafts lead to their previews. */
  function previewAddress({ origin, pathname, search, hash, href }: URL): string {
    if (origin !== new URL(baseUrl).origin) return href
    return (paths.has(pathname) ? FOLDER : '') + pathname + search + hash
  }
}

function draftList(waiting: WaitingPage[]): PageContent {
  const entries = waiting.map(
    ({ document: { path, title, description, ...document } }) =>
      html`<li>${labelled(labelOf(document))}<div dir="auto"><a href="${FOLDER}${path}">${title || FOLDER + path}</a>${description && html`<p>${description}</p>`}</div></li>`,
  )
  const main = devPageMain({
    path: FOLDER,
    intro: 'Not public yet: drafts, and what is dated in the future.',
    main: entries.length > 0 ? html`<ul class="posts">${entries}</ul>` : html`<p class="empty">Nothing is waiting.</p>`,
  })
  return { path: FOLDER, title: 'Drafts', description: 'Not public yet', isIndexed: false, main }
}

/** "Draft", or "Scheduled for 1 December 2026 at 09:00 UTC". */
function labelOf({ isDraft, date }: Pick<Document, 'isDraft' | 'date'>): string {
  if (isDraft || !date) return 'Draft'
  const isMidnight = date.valueOf() % DAY_MS === 0
  return `Scheduled for ${isMidnight ? longDate(date) : longMoment(date)}`
}

function labelled(label: string, link?: Html): Html {
  return html`<p class="waiting"><span class="badge warn">${label}</span>${link}</p>`
}
