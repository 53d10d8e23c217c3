import { passwordRules } from '../../../accounts/password-policy.ts'
import type { Static } from '../../../http/schema.ts'
import type { LinkedAccounts } from '../../../oauth/list-linked-accounts.ts'
import { html } from '../../html.ts'
import type { AccountPageParts } from '../parts.ts'
import { SECURITY_PATH, type SecurityPart } from './part.ts'

export function passwordPart({ config }: AccountPageParts): SecurityPart {
  return {
    calls: ['POST /api/change-password'],
    scripts: ['show-password', 'password-rules'],
    async main({ visitor: { user }, perform }, entry) {
      const form = entry.of('password')
      const isFirst = user.password_hash === null
      const { linkedAccounts } = await perform<Static<typeof LinkedAccounts>>('GET /api/linked-accounts')
      const hasLinks = linkedAccounts.length > 0
      return html`<section class="card">
<h3 id="password">Password</h3>
<p>${isFirst ? `You have no password yet. ${hasLinks ? 'With one, you can log in without a provider.' : 'Set one now: without it, you cannot log in again.'}` : 'Changing it signs out all your other devices.'}</p>
${form.form(
  html`<input type="text" autocomplete="username" value="${user.email}" hidden readonly>
${!isFirst && form.password({ name: 'currentPassword', label: 'Current password', autocomplete: 'current-password' })}
${form.newPassword({ name: 'newPassword', label: 'New password', autocomplete: 'new-password', rules: passwordRules(config.passwordPolicy) })}
${form.password({ name: 'confirmPassword', label: 'Confirm new password', autocomplete: 'new-password' })}`,
  isFirst ? 'Set the password' : 'Change the password',
)}
</section>`
    },
    forms: {
      async password({ perform, visitor: { user } }, { fields }) {
        await perform('POST /api/change-password', fields)
        return { to: SECURITY_PATH, notice: user.password_hash === null ? 'password-set' : 'password-changed' }
      },
    },
  }
}
