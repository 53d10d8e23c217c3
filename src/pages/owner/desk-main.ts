import type { Message } from '../account/page-main.ts'
import { type Html, html } from '../html.ts'
import { DESK_PATH, OVERVIEW_PATH } from '../layout.ts'
import { AUDIT_PATH } from './audit.ts'
import { CONTENT_PATH } from './content.ts'
import { HEALTH_PATH } from './health.ts'
import { MAIL_PATH } from './mail/forms.ts'
import type { DeskPage } from './page.ts'
import { REGISTRATION_PATH } from './registration/page.ts'
import { WEBHOOKS_PATH } from './webhooks/shown-webhook.ts'

/** The pages of the desk that its tabs lead to. */
const TABS = {
  [OVERVIEW_PATH]: 'Overview',
  [DESK_PATH]: 'People',
  [REGISTRATION_PATH]: 'Registration',
  [MAIL_PATH]: 'Mail',
  [WEBHOOKS_PATH]: 'Webhooks',
  [CONTENT_PATH]: 'Content',
  [HEALTH_PATH]: 'Health',
  [AUDIT_PATH]: 'Audit log',
}

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
