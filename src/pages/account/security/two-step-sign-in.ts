import { describeSecret } from '../../../factors/add-authenticator-app.ts'
import type { SecondFactor } from '../../../factors/fields.ts'
import type { Static } from '../../../http/schema.ts'
import { notice } from '../../components.ts'
import { Html, html } from '../../html.ts'
import { FormState } from '../form-state.ts'
import type { FormView } from '../form-view.ts'
import type { AccountPageParts } from '../parts.ts'
import { SECURITY_PATH, type SecurityPart } from './part.ts'
import { recoveryCodeList } from './recovery-code-list.ts'
import { timeOf } from './shown-values.ts'

const SECRET = /^[A-Z2-7]{32}$/

/** Two-step sign-in and the authenticator app. */
export function twoStepPart({ siteIdentity }: AccountPageParts): SecurityPart {
  const setUp = (form: FormView, email: string, secret: string, heading?: Html) =>
    setUpCard(form, describeSecret(siteIdentity.title(), email, secret), heading)
  const shownCodes = (codes: string[]) => ({
    title: 'Your recovery codes',
    main: recoveryCodeList(siteIdentity.title(), codes),
  })
  return {
    calls: [
      'GET /api/second-factor',
      'POST /api/second-factor',
      'POST /api/authenticator-app',
      'POST /api/authenticator-app/confirm',
      'DELETE /api/authenticator-app',
    ],
    scripts: ['code-field', 'copy-code', 'relative-times'],
    async main({ perform, visitor: { user } }, formState) {
      const confirm = formState.of('confirm-app')
      const secret = confirm.value('secret', '')
      if (SECRET.test(secret)) return setUp(confirm, user.email, secret, html`<h2>Add an authenticator app</h2>`)
      return overview(await perform<Static<typeof SecondFactor>>('GET /api/second-factor'), formState)
    },
    forms: {
      async 'add-app'({ perform, visitor: { user } }) {
        const { secret } = await perform<{ secret: string }>('POST /api/authenticator-app')
        return { title: 'Add an authenticator app', main: setUp(new FormState().of('confirm-app'), user.email, secret) }
      },
      async 'confirm-app'({ perform }, { fields }) {
        const { recoveryCodes } = await perform<{ recoveryCodes: string[] }>(
          'POST /api/authenticator-app/confirm',
          fields,
        )
        return shownCodes(recoveryCodes)
      },
      async 'remove-app'({ perform }) {
        await perform('DELETE /api/authenticator-app')
        return { to: SECURITY_PATH, notice: 'app-removed' }
      },
      async 'two-step-on'({ perform }) {
        const { recoveryCodes } = await perform<{ recoveryCodes: string[] }>('POST /api/second-factor', {
          isRequired: true,
        })
        return recoveryCodes.length > 0 ? shownCodes(recoveryCodes) : { to: SECURITY_PATH, notice: 'two-step-on' }
      },
      async 'two-step-off'({ perform }) {
        await perform('POST /api/second-factor', { isRequired: false })
        return { to: SECURITY_PATH, notice: 'two-step-off' }
      },
    },
  }
}

function overview(state: Static<typeof SecondFactor>, formState: FormState): Html {
  const { isRequired, authenticatorApp: app, passkeys } = state
  const hasFactor = app !== null || passkeys > 0
  const [on, off] = [formState.of('two-step-on'), formState.of('two-step-off')]
  return html`<section class="card">
<h3 id="two-step">Two-step sign-in${isRequired && html` <span class="badge accent">On</span>`}</h3>
<p>${
    isRequired
      ? 'After your password, you enter a code or use a passkey. Nobody gets in with your password alone.'
      : 'After your password, you enter a code or use a passkey. Then nobody gets in with your password alone.'
  }</p>
<ul class="cards">${appEntry(app, formState)}</ul>
${isRequired && off.form(html``, 'Turn two-step sign-in off', { look: 'quiet' })}
${!isRequired && hasFactor && on.form(html``, 'Turn two-step sign-in on')}
</section>`
}

function appEntry(app: Static<typeof SecondFactor>['authenticatorApp'], formState: FormState): Html {
  if (app === null) {
    return html`<li>
<div><strong>Authenticator app</strong>
<p>An app on your phone that shows a new code every 30 seconds.</p></div>
${formState.of('add-app').form(html``, 'Add an app', { look: 'quiet' })}
</li>`
  }
  const { addedAt, lastUsedAt, isBlocked } = app
  return html`<li>
<div><strong>Authenticator app</strong>
<p>Added ${timeOf(addedAt)}, ${lastUsedAt === null ? 'not used yet' : html`last used ${timeOf(lastUsedAt)}`}</p></div>
${formState.of('remove-app').form(html``, 'Remove', { look: 'quiet', of: 'authenticator app' })}
${isBlocked && notice('warn', 'Somebody entered too many wrong codes, so the app is blocked. To unblock it, log in with a recovery code or a passkey.')}
</li>`
}

/** The QR code and the first code. The hidden secret serves to draw the same QR code again after a wrong code. */
function setUpCard(form: FormView, { secret, uri, qrCode }: ReturnType<typeof describeSecret>, heading?: Html): Html {
  const groups = secret.match(/.{4}/g)?.join(' ') ?? secret
  return html`<section class="card">
${heading}
<p>Open an authenticator app on your phone, add an account and scan this code:</p>
<div class="qr-code">${new Html(qrCode)}</div>
<p class="on-touch"><a class="button quiet" href="${uri}">Open in an app on this device</a></p>
<p>If you cannot scan it, enter this key in the app:</p>
<pre class="key"><code>${groups}</code></pre>
${form.form(
  html`<input type="hidden" name="secret" value="${secret}">
${form.code({ name: 'code', label: 'Code', hint: 'The six digits that the app shows now.', isFocused: form.isRefused })}`,
  'Turn two-step sign-in on',
)}
<p><a href="${SECURITY_PATH}">Not now</a></p>
</section>`
}
