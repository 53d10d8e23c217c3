import { readFactors, secondFactorMeans } from '../../proofs/second-factor.ts'
import { notice } from '../components.ts'
import { html } from '../html.ts'
import { type Begun, beginSession } from './begin-session.ts'
import { LOG_IN_PATH, returnPath } from './log-in.ts'
import type { OpenPage, Visit } from './page.ts'
import type { AccountPageParts } from './parts.ts'
import { PASSKEY_SCRIPT, passkeyForm, passkeyIn } from './passkey-form.ts'

/** The second step of a sign-in. The challenge of the first step is in a cookie. */
export function secondFactorPage(parts: AccountPageParts): OpenPage {
  const { database, secondFactorChallenges, secondFactorCookie } = parts
  return {
    path: '/log-in/second-factor',
    title: 'Confirm that it is you',
    description: 'Use your authenticator app, a passkey or a recovery code to finish logging in.',
    access: 'anyone',
    calls: ['POST /api/log-in/second-factor', 'POST /api/log-in/passkey/options'],
    scripts: ['code-field', PASSKEY_SCRIPT],
    async main({ request, query }, formState) {
      const [app, recovery] = [formState.of('code'), formState.of('recovery')]
      const returnTo = returnPath(
        app.value('return_to', '') ||
          recovery.value('return_to', '') ||
          formState.of('passkey').value('return_to', '') ||
          query.get('return_to'),
      )
      const logIn = `/log-in?${new URLSearchParams({ return_to: returnTo })}`
      const userId = await secondFactorChallenges.findAccount(secondFactorCookie.read(request) ?? '')
      if (userId === undefined) {
        return html`<div class="card">
${notice('warn', 'This sign-in is over. The second step has ten minutes and five tries. Please log in again.')}
<a class="button" href="${logIn}">Log in again</a>
</div>`
      }
      const means = secondFactorMeans(await readFactors(database.query, parts, userId))
      const hasApp = means.includes('authenticator-app')
      const isRecovering = recovery.value('recoveryCode', '') !== ''
      const hidden = html`<input type="hidden" name="return_to" value="${returnTo}">`
      const hasPasskey = means.includes('passkey')
      const recoveryForm = recovery.form(
        html`${hidden}
${recovery.input({ name: 'recoveryCode', label: 'Recovery code', autocomplete: 'off', hint: 'Three groups of five letters and digits. Each code works once.', isFocused: isRecovering || !(hasApp || hasPasskey) })}`,
        'Log in with a recovery code',
        { look: hasApp || hasPasskey ? 'quiet' : '' },
      )
      return html`<div class="card">
${
  hasApp &&
  app.form(
    html`${hidden}
${app.code({ name: 'code', label: 'Code', hint: 'The six digits that your authenticator app shows.', isFocused: !isRecovering })}
${app.checkbox({ name: 'rememberBrowser', label: 'Remember this browser for 30 days', isOptional: true })}`,
    'Log in',
  )
}
${
  hasPasskey &&
  passkeyForm({
    page: LOG_IN_PATH,
    form: 'passkey',
    button: 'Use a passkey',
    action: 'get',
    look: hasApp ? 'quiet' : '',
    fields: hidden,
  })
}
${
  hasApp || hasPasskey
    ? html`<details${isRecovering && html` open`}>
<summary>Use a recovery code instead</summary>
${recoveryForm}
</details>`
    : recoveryForm
}
</div>
<p class="aside"><a href="${logIn}">Back to log-in</a></p>`
    },
    forms: {
      code: (visit, { fields }) =>
        finish(visit, fields, { code: fields.code, rememberBrowser: fields.rememberBrowser !== undefined }),
      passkey: (visit, { fields }) => finish(visit, fields, { passkey: passkeyIn(fields) }),
      recovery: (visit, { fields }) => finish(visit, fields, { recoveryCode: fields.recoveryCode }),
    },
  }

  async function finish(visit: Visit, { return_to }: Record<string, string>, proof: object) {
    const challenge = secondFactorCookie.read(visit.request) ?? 'none'
    const begun = await visit.perform<Begun>('POST /api/log-in/second-factor', { challenge, ...proof })
    const cookies = [...(await beginSession(parts, visit, begun)), secondFactorCookie.clear()]
    return { to: returnPath(return_to), cookies }
  }
}
