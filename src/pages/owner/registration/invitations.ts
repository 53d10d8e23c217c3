import type { Registration } from '../../../accounts/registration.ts'
import type { listInvitations } from '../../../owner/list-invitations.ts'
import type { FormState } from '../../account/form-state.ts'
import type { FormView } from '../../account/form-view.ts'
import { type Html, html } from '../../html.ts'
import type { DataOf } from '../page.ts'
import { question } from '../question.ts'
import { chosen, chosenInMarkdown, personLink, shortDate } from '../shown-values.ts'

type Invitation = DataOf<typeof listInvitations>['invitations'][number]

const DAYS = { '1': '1 day', '7': '7 days', '30': '30 days', '90': '90 days' }

const STATES: Record<Invitation['state'], { words: string; look: string }> = {
  open: { words: 'Open', look: 'accent' },
  used: { words: 'Used', look: 'good' },
  revoked: { words: 'Revoked', look: '' },
  expired: { words: 'Expired', look: '' },
}

export function inviteForm(form: FormView): Html {
  return html`<div class="line-form">
${form.form(
  html`${form.input({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'off' })}
${form.select({ name: 'days', label: 'Works for', value: '7', options: DAYS })}`,
  'Invite',
)}
</div>`
}

export function invitationTable(invitations: Invitation[], formState: FormState): Html {
  return html`<table class="dense invitations">
<caption class="unseen">Invitations</caption>
<thead><tr><th scope="col">E-mail</th><th scope="col" class="badges">State</th><th scope="col" class="created">Created</th><th scope="col" class="created">Expires</th><th scope="col" class="act"><span class="unseen">Action</span></th></tr></thead>
<tbody>
${invitations.map((invitation) => row(invitation, formState))}</tbody>
</table>`
}

function row(invitation: Invitation, formState: FormState): Html {
  const { invitationId, email, state, createdAt, expiresAt, userId } = invitation
  const { words, look } = STATES[state]
  return html`<tr>
<td class="email">${userId === null ? chosen(email) : html`<a href="${personLink({ userId })}">${chosen(email)}</a>`}</td>
<td class="badges"><span class="badge ${look}">${words}</span></td>
<td class="created" data-label="Created">${shortDate(createdAt)}</td>
<td class="created" data-label="Expires">${shortDate(expiresAt)}</td>
<td class="act">${state === 'open' && revokeQuestion(invitationId, email, formState)}</td>
</tr>
`
}

function revokeQuestion(invitationId: string, email: string, formState: FormState): Html {
  return question({
    id: `revoke-${invitationId}`,
    button: 'Revoke',
    of: email,
    title: html`Revoke the invitation of ${chosen(email)}?`,
    effect: 'Its link stops working at once, and a registration with it that is not verified yet is refused.',
    confirm: 'Revoke the invitation',
    form: formState.of('revoke'),
    content: html`<input type="hidden" name="invitationId" value="${invitationId}">`,
  })
}

export function noInvitations({ mode }: Registration, after: string | undefined): Html {
  if (after) return html`<div class="empty"><p>There is nothing after the page before.</p></div>`
  const advice: Record<Registration['mode'], string> = {
    open: 'Everybody can sign up without one. An invitation also admits an address of another domain.',
    invite: 'Enter an address above: nobody can sign up without an invitation.',
    closed: 'Invitations work when registration is open or by invitation.',
  }
  return html`<div class="empty"><p>Nobody is invited.</p><p>${advice[mode]}</p></div>`
}

export function invitationInMarkdown({ invitationId, email, state, createdAt, expiresAt, userId }: Invitation): string {
  const person = userId === null ? '' : `, [person](${personLink({ userId }).replace('?', '.md?')})`
  return `- ${chosenInMarkdown(email)}: ${state}, created ${createdAt}, expires ${expiresAt}, id ${invitationId}${person}`
}
