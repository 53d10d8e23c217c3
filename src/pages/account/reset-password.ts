import { passwordRules } from '../../accounts/password-policy.ts'
import { notice } from '../components.ts'
import { html } from '../html.ts'
import { mailboxHint } from './mailbox-hint.ts'
import { codeFields, readMailedLink } from './mailed-code.ts'
import type { OpenPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'

export function resetPasswordPage({ config, codes }: AccountPageParts): OpenPage {
  return {
    path: '/reset-password',
    title: 'Choose a new password',
    description: 'Choose a new password with the code from the mail. Every device is signed out.',
    access: 'anyone',
    calls: ['POST /api/reset-password'],
    scripts: ['code-field', 'show-password', 'password-rules'],
    async main({ request, query }, formState) {
      const form = formState.of('reset')
      const link = await readMailedLink(codes, 'reset', query)
      if (link.isInvalid) {
        return html`<div class="card">
${notice('problem', 'This link is too old or was used already.')}
<a class="button" href="/forgot-password">Mail me a new code</a>
</div>`
      }
      return html`<div class="card">
${!link.token && mailboxHint(config, request, link.email)}
${form.form(
  html`${codeFields(form, 'resetToken', link)}
${form.newPassword({ name: 'password', label: 'New password', autocomplete: 'new-password', rules: passwordRules(config.passwordPolicy) })}
${form.password({ name: 'confirmPassword', label: 'Confirm new password', autocomplete: 'new-password' })}`,
  'Set the new password',
)}
</div>
<p class="aside"><a href="/forgot-password">Ask for another code</a></p>`
    },
    forms: {
      async reset({ perform }, { fields }) {
        await perform('POST /api/reset-password', fields)
        // The security page lists the linked providers, so that the user can remove one that an attacker has added.
        const query = new URLSearchParams({ email: fields.email ?? '', return_to: '/account/security' })
        return { to: `/log-in?${query}`, notice: 'password-reset' }
      },
    },
  }
}
