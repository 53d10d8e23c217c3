import { notVerified } from '../../accounts/log-in.ts'
import { readRegistration } from '../../accounts/registration.ts'
import { localPath } from '../../oauth/return-path.ts'
import { isKnownPasskey } from '../../proofs/passkeys.ts'
import { type Html, html } from '../html.ts'
import { type Begun, beginSession } from './begin-session.ts'
import type { FormState } from './form-state.ts'
import type { OpenPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'
import { PASSKEY_SCRIPT, passkeyForm, passkeyIn } from './passkey-form.ts'
import { createPasskeyOffer } from './passkey-offer.ts'
import { providerLinks } from './provider-links.ts'

export const LOG_IN_PATH = '/log-in'

export function logInPage(parts: AccountPageParts): OpenPage {
  const { config, database, webauthn } = parts
  const { relyingParty } = webauthn
  const passkeyOffer = createPasskeyOffer(config)
  const providers = Object.values(parts.providers).filter((provider) => provider !== undefined)
  const ways = [
    'with e-mail and password',
    ...(relyingParty.isDomain ? ['with a passkey'] : []),
    ...providers.map(({ title }) => `through ${title}`),
  ]
  return {
    path: LOG_IN_PATH,
    title: 'Log in',
    description: `Log in ${new Intl.ListFormat('en', { type: 'disjunction' }).format(ways)}.`,
    access: 'guests',
    calls: [
      'POST /api/log-in',
      ...(config.mailedCodeLogIn ? ['POST /api/log-in/code', 'POST /api/log-in/code/verify'] : []),
      ...(relyingParty.isDomain ? ['POST /api/log-in/passkey/options', 'POST /api/log-in/passkey'] : []),
      ...providers.map(({ name }) => `GET /api/oauth/${name}/start`),
      'POST /api/log-in/second-factor',
    ],
    scripts: ['show-password', PASSKEY_SCRIPT, 'passkey-signals'],
    async main({ query }, formState) {
      const form = formState.of('log-in')
      const { mode } = await readRegistration(database.query)
      const returnTo = returnPath(
        formState.of('passkey').value('return_to', form.value('return_to', query.get('return_to') ?? '')),
      )
      const email = form.value('email', query.get('email') ?? '')
      const returnField = html`<input type="hidden" name="return_to" value="${returnTo}">`
      return html`<div class="card">
${form.isRefusedBy(notVerified) && unverified(email)}
${form.form(
  html`${returnField}
${form.input({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username webauthn', value: email })}
${form.password({ name: 'password', label: 'Password', autocomplete: 'current-password' })}`,
  'Log in',
)}
${
  relyingParty.isDomain &&
  passkeyForm({
    page: LOG_IN_PATH,
    form: 'passkey',
    button: 'Log in with a passkey',
    action: 'get',
    look: 'quiet',
    fields: returnField,
    // The browser would offer the refused passkey again.
    isConditional: !formState.of('passkey').isRefused,
  })
}
${providerLinks(parts.providers, returnTo)}
</div>
<p class="aside"><a href="/forgot-password">Forgot your password?</a> ${parts.config.mailedCodeLogIn && mailedCodeLink(returnTo)}</p>
<p class="aside">${mode === 'open' && html`<span>No account yet? <a href="/sign-up">Sign up</a></span>`} <a href="/verify-email">Verify your e-mail</a></p>
${await unknownPasskey(formState)}`
    },
    forms: {
      async 'log-in'(visit, { fields }) {
        const begun = await visit.perform<Begun>('POST /api/log-in', fields)
        const offer = relyingParty.isDomain ? [passkeyOffer.set('1')] : []
        return { to: returnPath(fields.return_to), cookies: [...(await beginSession(parts, visit, begun)), ...offer] }
      },
      async passkey(visit, { fields }) {
        const begun = await visit.perform<Begun>('POST /api/log-in/passkey', { passkey: passkeyIn(fields) })
        return { to: returnPath(fields.return_to), cookies: await beginSession(parts, visit, begun) }
      },
    },
  }

  /**
   * After a refused passkey, tells the browser that no account has it, so that the browser stops to offer it. Never for
   * a passkey that an account has, for any reason of the refusal.
   */
  async function unknownPasskey(formState: FormState): Promise<Html | undefined> {
    const form = formState.of('passkey')
    if (!form.isRefusedWith(401)) return undefined
    // The schema has checked the passkey before it was refused.
    const { id } = JSON.parse(form.value('passkey', '')) as { id: string }
    if (await isKnownPasskey(database, id)) return undefined
    return html`<div hidden data-passkey-signal data-rp-id="${relyingParty.id}" data-credential-id="${id}"></div>`
  }
}

function mailedCodeLink(returnTo: string): Html {
  const query = new URLSearchParams({ return_to: returnTo })
  return html`<a href="/log-in/code?${query.toString()}">Mail me a code instead</a>`
}

/** The password is correct, but the address is not verified. */
function unverified(email: string): Html {
  const query = new URLSearchParams({ email })
  return html`<p>We mailed you a code when you signed up: <a href="/verify-email?${query.toString()}">enter it, or ask for a new one</a>.</p>`
}

/** The path to open after log-in. Only local paths are accepted, which prevents open redirects. */
export function returnPath(path: string | null | undefined): string {
  return localPath(path ?? '') ?? '/account'
}
