import { notice } from '../components.ts'
import { html } from '../html.ts'
import { type Begun, beginSession } from './begin-session.ts'
import { returnPath } from './log-in.ts'
import { mailboxHint } from './mailbox-hint.ts'
import { codeFields, readMailedLink } from './mailed-code.ts'
import type { OpenPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'

export function logInCodeVerifyPage(parts: AccountPageParts): OpenPage {
  const { config, codes } = parts
  return {
    path: '/log-in/code/verify',
    title: 'Enter your code',
    description: 'Log in with the code or the link that was mailed to you.',
    access: 'guests',
    calls: ['POST /api/log-in/code/verify'],
    scripts: ['code-field'],
    async main({ request, query }, formState) {
      const form = formState.of('verify')
      const link = await readMailedLink(codes, 'log-in', query)
      if (link.isInvalid) {
        return html`<div class="card">
${notice('problem', html`This link is too old or was used already. <a href="/log-in/code">Ask for a new mail</a>.`)}
</div>`
      }
      const returnTo = returnPath(form.value('return_to', query.get('return_to') ?? ''))
      return html`<div class="card">
${link.token ? html`<p>Press Log in to log in on this device. If you did not ask for this, close this page.</p>` : mailboxHint(config, request, link.email)}
${form.form(
  html`<input type="hidden" name="return_to" value="${returnTo}">
${codeFields(form, 'code', link)}`,
  'Log in',
)}
</div>
<p class="aside"><a href="/log-in/code">Ask for a new code</a> <a href="/log-in">Log in with a password</a></p>`
    },
    forms: {
      async verify(visit, { fields }) {
        const begun = await visit.perform<Begun>('POST /api/log-in/code/verify', fields)
        return { to: returnPath(fields.return_to), cookies: await beginSession(parts, visit, begun) }
      },
    },
  }
}
