import { notice } from '../components.ts'
import { html } from '../html.ts'
import type { OpenPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'

export function undoEmailChangePage({ database, emailUndos }: AccountPageParts): OpenPage {
  return {
    path: '/undo-email-change',
    title: 'Undo the change of address',
    description: 'Give an account its former e-mail address again, with the link that was mailed to that address.',
    access: 'anyone',
    calls: ['POST /api/change-email/undo'],
    async main({ query }, formState) {
      const form = formState.of('undo')
      const token = query.get('token') ?? ''
      // Opening the link changes nothing, since mail scanners open links too.
      const undo = await emailUndos.find(database.query, token)
      if (!undo) {
        return html`<div class="card">
${notice('problem', 'This link is too old or was used already, or the account is deleted.')}
<p>If somebody else can use your account, <a href="/forgot-password">choose a new password</a>.</p>
</div>`
      }
      return html`<div class="card">
<p>Your account gets the address <strong>${undo.oldEmail}</strong> again. Every device is signed out, and your password and the ways to sign in that were added since a day before the change are removed. Then choose a new password.</p>
${form.form(html`<input type="hidden" name="token" value="${token}">`, 'Undo the change')}
<p>If you changed the address yourself, close this page.</p>
</div>`
    },
    forms: {
      async undo({ perform }, { fields }) {
        const { email } = await perform<{ email: string }>('POST /api/change-email/undo', fields)
        return { to: `/forgot-password?${new URLSearchParams({ email })}`, notice: 'email-change-undone' }
      },
    },
  }
}
