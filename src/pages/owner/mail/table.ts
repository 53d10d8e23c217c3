import type { Static } from '../../../http/schema.ts'
import { counted } from '../../../lib/counted.ts'
import { printable } from '../../../lib/printable.ts'
import type { Mail } from '../../../owner/mail.ts'
import type { FormState } from '../../account/form-state.ts'
import { timeOf } from '../../account/security/shown-values.ts'
import { type Html, html } from '../../html.ts'
import { chosen, chosenInMarkdown } from '../shown-values.ts'

type ShownMail = Static<typeof Mail>

// A longer error is folded.
const MAX_ERROR_CHARACTERS = 90

export function mailTable(mails: ShownMail[], formState: FormState): Html {
  return html`<table class="dense mails">
<caption class="unseen">Mails</caption>
<thead><tr><th scope="col">Mail</th><th scope="col" class="tries">Tries</th><th scope="col">Last error</th><th scope="col" class="when">When</th><th scope="col" class="acts">Actions</th></tr></thead>
<tbody>
${mails.map(
  (mail) => html`<tr>
<td class="name"><strong>${chosen(mail.subject)}</strong><br>${chosen(mail.recipient)}</td>
<td class="tries">${mail.attempts === 1 ? '1 try' : `${mail.attempts} tries`}</td>
<td class="email">${mail.lastError && errorOf(mail.lastError)}</td>
<td class="when">${whenOf(mail)}</td>
<td class="acts">${actions(mail, formState)}</td>
</tr>
`,
)}</tbody>
</table>`
}

function whenOf({ failedAt, dueAt, expiresAt, createdAt }: ShownMail): Html {
  return html`${failedAt === null ? html`Next ${timeOf(dueAt ?? createdAt)}` : html`Failed ${timeOf(failedAt)}`}${expiresAt !== null && html`<br>Expires ${timeOf(expiresAt)}`}`
}

function actions(mail: ShownMail, formState: FormState): Html {
  const { mailId, subject, recipient } = mail
  const name = `“${printable(subject)}” to ${printable(recipient)}`
  const id = html`<input type="hidden" name="id" value="${mailId}">`
  const ids = html`<input type="hidden" name="ids" value="${mailId}">`
  const drop = formState.ofItem('drop', mailId)
  return html`<div>${formState.of('retry').form(ids, 'Try again', { look: 'quiet', of: name })}
<details${drop.isRefused && html` open`}><summary>Drop<span class="unseen"> ${name}</span></summary>
<p>${chosen(name)} is deleted and never sent.</p>
${drop.form(id, 'Drop this mail', { look: 'danger', of: name })}
</details></div>`
}

function errorOf(error: string): Html {
  if (error.length <= MAX_ERROR_CHARACTERS) return chosen(error)
  return html`<details><summary>${chosen(`${error.slice(0, MAX_ERROR_CHARACTERS - 1)}…`)}<span class="unseen"> Whole error</span></summary>${chosen(error)}</details>`
}

export function mailInMarkdown(mail: ShownMail): string {
  const { mailId, recipient, subject, attempts, createdAt, dueAt, failedAt, expiresAt, lastError } = mail
  const facts = [
    `to ${recipient}`,
    failedAt === null ? `next attempt ${dueAt}` : `failed ${failedAt}`,
    `tried ${counted(attempts, 'time')}`,
    `created ${createdAt}`,
    ...(expiresAt ? [`expires ${expiresAt}`] : []),
    ...(lastError ? [`last error: ${lastError}`] : []),
    `id ${mailId}`,
  ]
  return `- ${chosenInMarkdown(subject)}: ${facts.map(chosenInMarkdown).join('; ')}`
}
