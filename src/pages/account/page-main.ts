import { type Html, html } from '../html.ts'
import { ACCOUNT_LINKS } from '../layout.ts'
import type { AccountPage } from './page.ts'

export type Message = Html | '' | undefined

/** The content of a page with its title. Only the pages that the account menu lists show that menu. */
export function pageMain(page: AccountPage, message: Message, content: Html): Html {
  return page.path in ACCOUNT_LINKS ? memberMain(page, message, content) : singleColumnMain(page, message, content)
}

/** A page of a member: links to the other pages, and the content in cards. */
function memberMain({ path, title }: AccountPage, message: Message, content: Html): Html {
  return html`<div class="member">
<h1>${title}</h1>
<nav class="parts" aria-label="Account">${Object.entries(ACCOUNT_LINKS).map(
    ([to, title]) => html`<a href="${to}"${to === path && html` aria-current="page"`}>${title}</a> `,
  )}</nav>
${message}
${content}
</div>`
}

/** A page outside of the account menu, such as sign-up and log-in: one column in the middle. */
export function singleColumnMain({ title }: AccountPage, message: Message, content: Html): Html {
  return html`<div class="door">
<h1>${title}</h1>
${message}
${content}
</div>`
}
