import type { Reply } from '../http/reply.ts'
import { type Html, html } from './html.ts'
import { type Frame, layout } from './layout.ts'

const DEV_PAGES = {
  '/dev/mailbox': 'Mailbox',
  '/dev/mails': 'Mails',
  '/dev/drafts': 'Drafts',
  '/dev/design': 'Design',
}

interface DevPage {
  path: keyof typeof DEV_PAGES
  /** The content of the page, in one sentence. */
  intro: Html | string
  main: Html
  isWide?: boolean
}

/** The main part of a page that exists in development only: links to the other ones, a heading and the content. */
export function devPageMain({ path, intro, main }: DevPage): Html {
  return html`<nav class="parts" aria-label="Development">${Object.entries(DEV_PAGES).map(
    ([to, title]) => html`<a href="${to}"${to === path && html` aria-current="page"`}>${title}</a> `,
  )}</nav>
<h1>${DEV_PAGES[path]}</h1>
<p class="lead">${intro} Only development has this page.</p>
${main}`
}

/** Sends a page that exists in development only. */
export function sendDevPage(reply: Reply, frame: Frame, page: DevPage): Reply {
  const { path, isWide = false } = page
  const parts = {
    path,
    title: DEV_PAGES[path],
    description: 'A page of the development mode.',
    isIndexed: false,
    isWide,
    styles: 'full' as const,
    main: devPageMain(page),
  }
  return reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(layout(frame, parts))
}
