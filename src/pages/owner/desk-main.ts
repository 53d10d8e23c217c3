import type { Message } from '../account/page-main.ts'
import { type Html, html } from '../html.ts'
import { DESK_PATH } from '../layout.ts'
import { AUDIT_PATH } from './audit.ts'
import type { DeskPage } from './page.ts'

/** The pages of the desk that its tabs lead to. */
const TABS = { [DESK_PATH]: 'People', [AUDIT_PATH]: 'Audit log' }

/** The content of a page of the desk, below the tabs. */
export function deskMain({ path, tab }: DeskPage, message: Message, content: Html): Html {
  return html`<div class="desk">
<nav class="parts" aria-label="Owner’s desk">${Object.entries(TABS).map(
    ([to, title]) =>
      html`<a href="${to}"${to === tab && html` aria-current="${to === path ? 'page' : 'true'}"`}>${title}</a> `,
  )}</nav>
${message}
${content}
</div>`
}
