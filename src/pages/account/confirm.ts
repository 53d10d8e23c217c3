import { type Means, meansOf } from '../../proofs/means.ts'
import { STRONG_MEANS } from '../../proofs/recent-proof.ts'
import { notice } from '../components.ts'
import { type Html, html } from '../html.ts'
import type { FormState } from './form-state.ts'
import { returnPath } from './log-in.ts'
import { mailboxHint } from './mailbox-hint.ts'
import { readMailedLink } from './mailed-code.ts'
import type { Done, MemberPage, MemberVisit, Submission } from './page.ts'
import type { AccountPageParts } from './parts.ts'
import { PASSKEY_SCRIPT, passkeyForm, passkeyIn } from './passkey-form.ts'

export const CONFIRM_PATH = '/account/confirm'
/** The value of the parameter `with` that leaves the passkey and the authenticator app as the only means. */
export const WITH_SECOND_FACTOR = 'second-factor'

/** The page that a form without a recent proof of identity redirects to. */
export function confirmPage({ config, database, codes }: AccountPageParts): MemberPage {
  /** The form of each means. Only the button of the first one is a main button. */
  const forms: Record<Means, (visit: MemberVisit, formState: FormState, look: string) => Html | Promise<Html>> = {
    password({ visitor: { user } }, formState, look) {
      const form = formState.of('password')
      return form.form(
        html`<input type="text" autocomplete="username" value="${user.email}" hidden readonly>
${form.password({ name: 'password', label: 'Your password', autocomplete: 'current-password' })}`,
        'Confirm',
        { look },
      )
    },
    passkey: (_visit, _entry, look) =>
      passkeyForm({ page: CONFIRM_PATH, form: 'passkey', button: 'Use a passkey', action: 'get', look }),
    'authenticator-app'(_visit, formState, look) {
      const form = formState.of('authenticator-app')
      return form.form(
        form.code({ name: 'code', label: 'Code', hint: 'The six digits that your authenticator app shows.' }),
        'Confirm with the app',
        { look },
      )
    },
    async 'mailed-code'({ request, query, visitor: { user } }, formState) {
      const [form, send] = [formState.of('mailed-code'), formState.of('send-code')]
      const { email, token, isInvalid } = await readMailedLink(codes, 'reauthentication', query)
      if (token && email === user.email)
        return form.form(html`<input type="hidden" name="mailedCode" value="${token}">`, 'Confirm')
      const isUseless = isInvalid || token !== ''
      return html`${isUseless && notice('problem', 'This link is too old or was used already. Ask for a new mail.')}
<p>We can mail a code to <strong>${user.email}</strong>.</p>
${send.form(html``, 'Mail me a code', { look: 'quiet' })}
${mailboxHint(config, request, user.email)}
${form.form(form.code({ name: 'mailedCode', label: 'Code', hint: 'Six digits. The code works for ten minutes and five tries.' }), 'Confirm')}`
    },
  }
  return {
    path: CONFIRM_PATH,
    title: 'Confirm that it is you',
    description: 'Prove your identity again, before a change to how your account is protected.',
    access: 'members',
    calls: ['POST /api/reauthenticate', 'POST /api/reauthenticate/code', 'POST /api/reauthenticate/passkey-options'],
    scripts: ['show-password', 'code-field', PASSKEY_SCRIPT],
    async main(visit, formState) {
      const { user } = visit.visitor
      const all = await meansOf(database.query, user)
      const isStrongOnly = needsSecondFactor(visit) || user.role === 'owner'
      const strong = isStrongOnly ? all.filter((name) => STRONG_MEANS.includes(name)) : []
      const means = strong.length > 0 ? strong : all
      const shown = await Promise.all(
        means.map((name, index) => forms[name](visit, formState, index > 0 ? 'quiet' : '')),
      )
      return html`<div class="card">
<p>${needsSecondFactor(visit) ? 'What you opened needs your passkey or your authenticator app, once in each session.' : 'We ask this before a change to how your account is protected. Then make the change once more.'}</p>
${shown.map((form, index) => html`${index > 0 && html`<p class="or"><span>or</span></p>`}${form}`)}
</div>
<p class="aside">${needsSecondFactor(visit) ? html`<a href="/account">Back to your account</a>` : html`<a href="${returnPathOf(visit)}">Back without a change</a>`}</p>`
    },
    forms: {
      password: prove,
      'authenticator-app': prove,
      async passkey(visit, { fields }) {
        await visit.perform('POST /api/reauthenticate', { passkey: passkeyIn(fields) })
        return proven(visit)
      },
      'mailed-code': prove,
      async 'send-code'(visit) {
        await visit.perform('POST /api/reauthenticate/code')
        const query = new URLSearchParams({ return_to: returnPathOf(visit) })
        return { to: `${CONFIRM_PATH}?${query}`, notice: 'confirmation-code-sent' }
      },
    },
  }
}

async function prove(visit: MemberVisit, { fields: { form: _, ...proof } }: Submission) {
  await visit.perform('POST /api/reauthenticate', proof)
  return proven(visit)
}

function proven(visit: MemberVisit): Done {
  return { to: returnPathOf(visit), notice: needsSecondFactor(visit) ? 'second-factor-proven' : 'identity-proven' }
}

function needsSecondFactor({ query }: MemberVisit): boolean {
  return query.get('with') === WITH_SECOND_FACTOR
}

function returnPathOf({ query }: MemberVisit): string {
  return returnPath(query.get('return_to'))
}
