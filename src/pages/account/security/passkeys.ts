import type { Passkeys } from '../../../factors/list-passkeys.ts'
import type { Static } from '../../../http/schema.ts'
import { type Html, html } from '../../html.ts'
import { CONFIRM_PATH } from '../confirm.ts'
import type { FormState } from '../form-state.ts'
import type { MemberVisit } from '../page.ts'
import type { AccountPageParts } from '../parts.ts'
import { PASSKEY_SCRIPT, passkeyForm, passkeyIn } from '../passkey-form.ts'
import { hasOnlyWayIn, ONLY_WAY_IN } from './only-way-in.ts'
import { SECURITY_PATH, type SecurityPart } from './part.ts'
import { timeOf } from './shown-values.ts'

const ANCHOR = `${SECURITY_PATH}#passkeys`

type PasskeyList = Static<typeof Passkeys>

export function passkeysPart({ webauthn: { relyingParty } }: AccountPageParts): SecurityPart {
  return {
    calls: [
      'GET /api/passkeys',
      'POST /api/passkeys/registration-options',
      'POST /api/passkeys',
      'POST /api/passkeys/rename',
      'DELETE /api/passkeys',
    ],
    scripts: [PASSKEY_SCRIPT, 'passkey-signals', 'relative-times'],
    async main(visit, formState) {
      const [list, isOnlyWayIn] = await Promise.all([
        visit.perform<PasskeyList>('GET /api/passkeys'),
        hasOnlyWayIn(visit),
      ])
      const { passkeys } = list
      // Browsers refuse passkeys for an IP address.
      if (!relyingParty.isDomain && passkeys.length === 0) return undefined
      return html`<section class="card">
<h3 id="passkeys">Passkeys</h3>
<p>Sign in with your fingerprint, your face or the PIN of your device. Nobody can guess a passkey or trick you into giving it away.</p>
${passkeys.length > 0 && html`<ul class="cards">${passkeys.map((passkey) => card(passkey, isOnlyWayIn, formState))}</ul>`}
<noscript><p class="hint">Adding a passkey needs JavaScript.</p></noscript>
${signals(list, visit)}
${passkeyForm({
  page: SECURITY_PATH,
  form: 'add-passkey',
  button: passkeys.length === 0 ? 'Add a passkey' : 'Add another passkey',
  action: 'create',
  look: passkeys.length === 0 ? '' : 'quiet',
  confirm: `${CONFIRM_PATH}?${new URLSearchParams({ return_to: ANCHOR })}`,
})}
</section>`
    },
    forms: {
      async 'add-passkey'({ perform }, { fields }) {
        await perform('POST /api/passkeys', { passkey: passkeyIn(fields) })
        return { to: ANCHOR, notice: 'passkey-added' }
      },
      async 'rename-passkey'({ perform }, { fields }) {
        await perform('POST /api/passkeys/rename', fields)
        return { to: ANCHOR, notice: 'passkey-renamed' }
      },
      async 'remove-passkey'({ perform }, { fields }) {
        await perform('DELETE /api/passkeys', fields)
        return { to: ANCHOR, notice: 'passkey-removed' }
      },
    },
  }
}

function card(passkey: PasskeyList['passkeys'][number], isOnlyWayIn: boolean, formState: FormState): Html {
  const { id, name, isSynced, createdAt, lastUsedAt } = passkey
  const [rename, remove] = [formState.ofItem('rename-passkey', id), formState.ofItem('remove-passkey', id)]
  const field = html`<input type="hidden" name="id" value="${id}">`
  return html`<li>
<div><strong dir="auto">${name}</strong> <span class="badge">${isSynced ? 'Synced' : 'On one device'}</span>${isOnlyWayIn && ONLY_WAY_IN}
<p>Added ${timeOf(createdAt)}, ${lastUsedAt === null ? 'not used yet' : html`last used ${timeOf(lastUsedAt)}`}</p>
<details${rename.isRefused && html` open`}>
<summary aria-label="Rename ${name}">Rename</summary>
${rename.form(html`${field}${rename.input({ name: 'name', label: 'New name', value: name, autocomplete: 'off' })}`, 'Rename', { look: 'quiet' })}
</details></div>
${!isOnlyWayIn && remove.form(field, 'Remove', { look: 'quiet', of: name })}
</li>`
}

/** The data that the script `passkey-signals` gives to the password manager of the browser. */
function signals({ rpId, userHandle, passkeys }: PasskeyList, { visitor: { user } }: MemberVisit): Html | false {
  return (
    userHandle !== null &&
    html`<div hidden data-passkey-signal data-rp-id="${rpId}" data-user-id="${userHandle}" data-accepted="${JSON.stringify(passkeys.map(({ id }) => id))}" data-name="${user.email}" data-display-name="${`${user.first_name} ${user.last_name}`.trim()}"></div>`
  )
}
