import { passwordRules } from '../../../accounts/password-policy.ts'
import type { Passkeys } from '../../../factors/list-passkeys.ts'
import type { Static } from '../../../http/schema.ts'
import type { LinkedAccounts } from '../../../oauth/list-linked-accounts.ts'
import { type Html, html } from '../../html.ts'
import type { FormState } from '../form-state.ts'
import type { AccountPageParts } from '../parts.ts'
import { SECURITY_PATH, type SecurityPart } from './part.ts'

export function passwordPart({ config }: AccountPageParts): SecurityPart {
  return {
    calls: ['POST /api/change-password', 'DELETE /api/password'],
    scripts: ['show-password', 'password-rules'],
    async main({ visitor: { user }, perform, query }, formState) {
      const form = formState.of('password')
      const isFirst = user.password_hash === null
      const [{ linkedAccounts }, { passkeys }] = await Promise.all([
        perform<Static<typeof LinkedAccounts>>('GET /api/linked-accounts'),
        perform<Static<typeof Passkeys>>('GET /api/passkeys'),
      ])
      const hasOtherWays = linkedAccounts.length + passkeys.length > 0
      const isOpen = form.isRefused || query.get('open') === 'password' || (isFirst && !hasOtherWays)
      return html`<section class="card">
<h3 id="password">Password</h3>
<p>${isFirst ? `You have no password. ${hasOtherWays ? 'With one, you have another way in.' : 'Set one now: without it, you cannot log in again.'}` : 'You log in with your e-mail address and your password.'}</p>
<details${isOpen && html` open`}>
<summary>${isFirst ? 'Set a password' : 'Change the password'}</summary>
${!isFirst && html`<p>This signs out all your other devices.</p>`}
${form.form(
  html`<input type="text" autocomplete="username" value="${user.email}" hidden readonly>
${!isFirst && form.password({ name: 'currentPassword', label: 'Current password', autocomplete: 'current-password' })}
${form.newPassword({ name: 'newPassword', label: 'New password', autocomplete: 'new-password', rules: passwordRules(config.passwordPolicy) })}
${form.password({ name: 'confirmPassword', label: 'Confirm new password', autocomplete: 'new-password' })}`,
  isFirst ? 'Set the password' : 'Change the password',
)}
</details>
${!isFirst && hasOtherWays && removal(formState)}
</section>`
    },
    forms: {
      async 'remove-password'({ perform }) {
        await perform('DELETE /api/password')
        return { to: SECURITY_PATH, notice: 'password-removed' }
      },
      async password({ perform, visitor: { user } }, { fields }) {
        await perform('POST /api/change-password', fields)
        return { to: SECURITY_PATH, notice: user.password_hash === null ? 'password-set' : 'password-changed' }
      },
    },
  }
}

function removal(formState: FormState): Html {
  const form = formState.of('remove-password')
  return html`<details>
<summary>Remove the password</summary>
<p>You then sign in with a passkey or a provider only. Devices that signed in with the password are signed out.</p>
${form.form(html``, 'Remove the password', { look: 'danger' })}
</details>`
}
