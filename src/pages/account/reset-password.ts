import { passwordHint } from '../../accounts/password-policy.ts'
import { html } from '../html.ts'
import type { OpenPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'

export function resetPasswordPage({ config }: AccountPageParts): OpenPage {
  return {
    path: '/reset-password',
    title: 'Choose a new password',
    description: 'Choose a new password with the code from the mail. Every device is signed out.',
    access: 'anyone',
    calls: ['POST /api/reset-password'],
    scripts: ['code-field', 'show-password'],
    main({ query }, entry) {
      const form = entry.of('reset')
      return html`${form.form(
        html`${form.input({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: query.get('email') ?? '' })}
${form.code({ name: 'resetToken', label: 'Code', hint: 'Six digits. It works for ten minutes.', value: query.get('code') ?? '' })}
${form.password({ name: 'password', label: 'New password', autocomplete: 'new-password', hint: passwordHint(config.passwordPolicy) })}
${form.password({ name: 'confirmPassword', label: 'New password once more', autocomplete: 'new-password' })}`,
        'Set the new password',
      )}
<p class="aside"><a href="/forgot-password">Ask for another code</a></p>`
    },
    forms: {
      async reset({ perform }, { fields }) {
        await perform('POST /api/reset-password', fields)
        return { to: `/log-in?${new URLSearchParams({ email: fields.email ?? '' })}`, notice: 'password-reset' }
      },
    },
  }
}
