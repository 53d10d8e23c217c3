import { pendingEmailChange } from '../../accounts/pending-email-change.ts'
import { notice } from '../components.ts'
import { type Html, html } from '../html.ts'
import type { FormState } from './form-state.ts'
import { mailboxHint } from './mailbox-hint.ts'
import type { MemberPage, MemberVisit } from './page.ts'
import type { AccountPageParts } from './parts.ts'

const PATH = '/account/email'

export function emailPage({ config, database, codes }: AccountPageParts): MemberPage {
  return {
    path: PATH,
    title: 'E-mail',
    description: 'Change the e-mail address of the account, with a code that is mailed to the new one.',
    access: 'members',
    calls: ['POST /api/change-email', 'POST /api/change-email/confirm'],
    scripts: ['code-field'],
    async main(visit, formState) {
      const { user } = visit.visitor
      const pending = await pendingEmailChange(database.query, database.now, user.id)
      return html`<section class="card">
<h2>Your e-mail address</h2>
<p>You log in with <strong>${user.email}</strong>, and we mail codes and notices to it.</p>
${await (pending ? confirmation(visit, formState, pending.newEmail) : withoutPending(visit, formState))}
</section>`
    },
    forms: {
      async change({ perform }, { fields }) {
        await perform('POST /api/change-email', fields)
        return { to: PATH, notice: 'email-change-requested' }
      },
      async confirm({ perform }, { fields }) {
        await perform('POST /api/change-email/confirm', fields)
        return { to: PATH, notice: 'email-changed' }
      },
    },
  }

  /** The form for the code, which is a hidden field on a page that was opened by the link in the mail. */
  async function confirmation(visit: MemberVisit, formState: FormState, newEmail: string): Promise<Html> {
    const form = formState.of('confirm')
    const token = visit.query.get('token')
    if (token !== null && (await isOwnLink(visit, token))) {
      return html`<p>Press the button to change it to <strong>${newEmail}</strong>.</p>
${form.form(html`<input type="hidden" name="code" value="${token}">`, 'Change my address')}`
    }
    return html`${token !== null && invalidLink()}
${mailboxHint(config, visit.request, newEmail)}
<p>We have mailed a code to <strong>${newEmail}</strong>. The address changes when you enter it.</p>
${form.form(form.code({ name: 'code', label: 'Code', hint: 'Six digits. The code works for ten minutes and five tries.' }), 'Change my address')}
<details${formState.of('change').value('newEmail', '') && html` open`}>
<summary>No mail, or another address?</summary>
${request(formState)}
</details>`
  }

  function withoutPending({ query }: MemberVisit, formState: FormState): Html {
    return html`${query.has('token') && invalidLink()}
${request(formState)}`
  }

  /** Whether the link was mailed for this account. Another person may have asked for the visitor's address. */
  async function isOwnLink({ visitor }: MemberVisit, token: string): Promise<boolean> {
    return (await codes.findRecipient('email-change', token)) === visitor.user.email
  }
}

function invalidLink(): Html {
  return notice('problem', 'This link is too old, was used already or belongs to another account.')
}

function request(formState: FormState): Html {
  const form = formState.of('change')
  return form.form(
    form.input({
      name: 'newEmail',
      label: 'New e-mail address',
      type: 'email',
      autocomplete: 'email',
      hint: 'We mail a code to it. Your present address hears of the change, and can undo it for 72 hours.',
    }),
    'Mail me a code',
  )
}
