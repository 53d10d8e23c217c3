import { localPath } from '../../oauth/return-path.ts'
import { type Html, html } from '../html.ts'
import { type Begun, beginSession } from './begin-session.ts'
import type { OpenPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'
import { providerLinks } from './provider-links.ts'

export function logInPage(parts: AccountPageParts): OpenPage {
  return {
    path: '/log-in',
    title: 'Log in',
    description: 'Log in with e-mail and password, or through a provider that this site is connected with.',
    access: 'guests',
    calls: ['POST /api/log-in', 'GET /api/oauth/codehost/start', 'GET /api/oauth/idp/start'],
    scripts: ['show-password'],
    main({ query }, entry) {
      const form = entry.of('log-in')
      const returnTo = returnPath(form.value('return_to', query.get('return_to') ?? ''))
      const email = form.value('email', query.get('email') ?? '')
      return html`<div class="card">
${form.isRefusedWith(403) && unverified(email)}
${form.form(
  html`<input type="hidden" name="return_to" value="${returnTo}">
${form.input({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email })}
${form.password({ name: 'password', label: 'Password', autocomplete: 'current-password' })}`,
  'Log in',
)}
${providerLinks(parts.providers, returnTo)}
</div>
<p class="aside"><span>No account yet? <a href="/sign-up">Sign up</a></span></p>
<p class="aside"><a href="/forgot-password">Forgot your password?</a> <a href="/verify-email">Have a code to enter?</a></p>`
    },
    forms: {
      async 'log-in'(visit, { fields }) {
        const begun = await visit.perform<Begun>('POST /api/log-in', fields)
        return { to: returnPath(fields.return_to), cookies: await beginSession(parts, visit, begun) }
      },
    },
  }
}

/** Shown on 403: the password is correct, but the address is not verified. */
function unverified(email: string): Html {
  const query = new URLSearchParams({ email })
  return html`<p>We mailed you a code when you signed up: <a href="/verify-email?${query.toString()}">enter it, or ask for a new one</a>.</p>`
}

/** The path to open after log-in. Only local paths are accepted, which prevents open redirects. */
export function returnPath(path: string | null | undefined): string {
  return localPath(path ?? '') ?? '/account'
}
