import { passwordRules } from '../../accounts/password-policy.ts'
import { type Registration, readRegistration } from '../../accounts/registration.ts'
import { notice } from '../components.ts'
import { type Html, html } from '../html.ts'
import type { FormView } from './form-view.ts'
import type { OpenPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'
import { providerLinks } from './provider-links.ts'

const MAX_SHOWN_DOMAINS = 10
const LOG_IN = html`<p class="aside"><span>Already have an account? <a href="/log-in">Log in</a></span></p>`

export function signUpPage({ config, database, invitations, providers }: AccountPageParts): OpenPage {
  return {
    path: '/sign-up',
    title: 'Sign up',
    description: 'Create an account. A code by mail proves that the address is yours.',
    access: 'guests',
    calls: ['POST /api/create-account'],
    scripts: ['show-password', 'password-rules'],
    async main({ query }, formState) {
      const form = formState.of('sign-up')
      const registration = await readRegistration(database.query)
      const token = form.value('invitation', query.get('invitation') ?? '')
      // Opening the link changes nothing, since mail scanners open links too.
      const invited = token && (await invitations.find(database.query, token))
      const problem = token && !invited && notice('problem', 'This invitation is too old, or was used or withdrawn.')
      if (registration.mode === 'closed')
        return html`<div class="card">
<p>Registration is closed: no new accounts are created at the moment.</p>
</div>
${LOG_IN}`
      if (registration.mode === 'invite' && !invited)
        return html`<div class="card">
${problem}
<p>Registration is by invitation. If you are invited, open the link in the mail with your invitation.</p>
${providerLinks(providers, '/account')}
</div>
${LOG_IN}`
      return html`<div class="card">
${problem}
${form.isRefusedWith(409) && taken(form.value('email', ''))}
${form.form(
  html`<div class="pair">
${form.input({ name: 'firstName', label: 'First name', autocomplete: 'given-name' })}
${form.input({ name: 'lastName', label: 'Last name', autocomplete: 'family-name' })}
</div>
${invited ? invitedAddress(form, invited, token) : form.input({ ...EMAIL, ...domainHint(registration) })}
${form.newPassword({ name: 'password', label: 'Password', autocomplete: 'new-password', rules: passwordRules(config.passwordPolicy) })}
${form.password({ name: 'confirmPassword', label: 'Confirm password', autocomplete: 'new-password' })}`,
  'Sign up',
)}
${providerLinks(providers, '/account')}
</div>
${LOG_IN}`
    },
    forms: {
      async 'sign-up'({ perform }, { fields }) {
        const { email } = await perform<{ email: string }>('POST /api/create-account', fields)
        return { to: `/verify-email?${new URLSearchParams({ email })}`, notice: 'account-created' }
      },
    },
  }
}

const EMAIL = { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username' } as const

/** The invitation is for this address only, so it cannot be changed. */
function invitedAddress(form: FormView, email: string, token: string): Html {
  return html`${form.input({ ...EMAIL, value: email, attributes: html` readonly` })}
<input type="hidden" name="invitation" value="${token}">`
}

function domainHint({ allowedDomains }: Registration): { hint?: string } {
  if (allowedDomains.length === 0) return {}
  if (allowedDomains.length > MAX_SHOWN_DOMAINS) return { hint: 'Only addresses of certain domains can sign up.' }
  return { hint: `Only addresses of ${allowedDomains.join(', ')} can sign up.` }
}

/** Shown on 409: the address has an account. */
function taken(email: string): Html {
  const query = new URLSearchParams({ email }).toString()
  return html`<p>Is it yours? <a href="/log-in?${query}">Log in</a>, <a href="/forgot-password?${query}">choose a new password</a>, or <a href="/verify-email?${query}">enter the code</a> that was mailed to it.</p>`
}
