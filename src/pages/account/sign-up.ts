import { passwordRules } from '../../accounts/password-policy.ts'
import { type Html, html } from '../html.ts'
import type { OpenPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'
import { providerLinks } from './provider-links.ts'

export function signUpPage({ config, providers }: AccountPageParts): OpenPage {
  return {
    path: '/sign-up',
    title: 'Sign up',
    description: 'Create an account. A code by mail proves that the address is yours.',
    access: 'guests',
    calls: ['POST /api/create-account'],
    scripts: ['show-password', 'password-rules'],
    main(_visit, entry) {
      const form = entry.of('sign-up')
      return html`<div class="card">
${form.isRefusedWith(409) && taken(form.value('email', ''))}
${form.form(
  html`<div class="pair">
${form.input({ name: 'firstName', label: 'First name', autocomplete: 'given-name' })}
${form.input({ name: 'lastName', label: 'Last name', autocomplete: 'family-name' })}
</div>
${form.input({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username' })}
${form.newPassword({ name: 'password', label: 'Password', autocomplete: 'new-password', rules: passwordRules(config.passwordPolicy) })}
${form.password({ name: 'confirmPassword', label: 'Confirm password', autocomplete: 'new-password' })}`,
  'Sign up',
)}
${providerLinks(providers, '/account')}
</div>
<p class="aside"><span>Already have an account? <a href="/log-in">Log in</a></span></p>`
    },
    forms: {
      async 'sign-up'({ perform }, { fields }) {
        const { email } = await perform<{ email: string }>('POST /api/create-account', fields)
        return { to: `/verify-email?${new URLSearchParams({ email })}`, notice: 'account-created' }
      },
    },
  }
}

/** Shown on 409: the address has an account. */
function taken(email: string): Html {
  const query = new URLSearchParams({ email }).toString()
  return html`<p>Is it yours? <a href="/log-in?${query}">Log in</a>, <a href="/forgot-password?${query}">choose a new password</a>, or <a href="/verify-email?${query}">enter the code</a> that was mailed to it.</p>`
}
