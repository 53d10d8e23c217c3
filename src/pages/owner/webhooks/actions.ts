import type { rotateWebhookSecret } from '../../../owner/rotate-webhook-secret.ts'
import { chosenFrom } from '../../account/choices.ts'
import type { FormState } from '../../account/form-state.ts'
import type { MemberVisit } from '../../account/page.ts'
import { type Html, html } from '../../html.ts'
import type { DataOf, DeskForms } from '../page.ts'
import { chosen } from '../shown-values.ts'
import { type ShownWebhook, secretCard, WEBHOOKS_PATH, webhookFields, webhookLink } from './shown-webhook.ts'

const CHANGE = 'POST /api/owner/webhooks/change'
const ROTATE = 'POST /api/owner/webhooks/rotate-secret'
const RESEND = 'POST /api/owner/webhooks/deliveries/resend'
const DELETE = 'DELETE /api/owner/webhooks'

/** The operations of the forms of a webhook. */
export const ACTION_CALLS = [CHANGE, ROTATE, RESEND, DELETE]

const OVERLAPS = { '24': '1 day', '168': '7 days', '1': '1 hour', '0': 'Not at all: it has leaked' }

/** The id of the webhook that the page is about. The operations check it. */
const webhookIdIn = ({ query }: MemberVisit) => query.get('webhookId') ?? ''

/** At most one action is open, so that the delivery log below stays in view. */
export function actionsCard(webhook: ShownWebhook, formState: FormState): Html {
  const [change, rotate] = [formState.of('change'), formState.of('rotate')]
  return html`<section class="card person-actions" aria-labelledby="actions">
<h2 id="actions">Actions</h2>
${webhook.isEnabled ? switchOff(formState) : switchOn(formState)}
<details name="action"${change.isRefused && html` open`}>
<summary>Change the URL or the events</summary>
${change.form(webhookFields(change, webhook), 'Save', { look: 'quiet' })}
</details>
<details name="action"${rotate.isRefused && html` open`}>
<summary>Replace the secret</summary>
<p>You see the new secret once. Until the former one ends, calls have signatures of both.</p>
${rotate.form(rotate.select({ name: 'overlapHours', label: 'The former secret works for', value: '24', options: OVERLAPS }), 'Replace the secret', { look: 'quiet' })}
</details>
<details name="action" class="destroys">
<summary>Delete</summary>
<p>The webhook <strong>${chosen(webhook.url)}</strong> is deleted with its secret, its waiting events and its delivery log. Nobody can bring it back.</p>
${formState.of('delete').form(html``, 'Delete this webhook', { look: 'danger' })}
</details>
</section>`
}

function switchOff(formState: FormState): Html {
  return html`<details name="action">
<summary>Switch off</summary>
<p>Nothing is sent. Events that are waiting stay, and those that happen meanwhile are not stored for it.</p>
${formState.of('switch-off').form(html``, 'Switch off', { look: 'quiet' })}
</details>`
}

function switchOn(formState: FormState): Html {
  return html`<details name="action" open>
<summary>Switch on again</summary>
<p>Events that were waiting are sent. Those that happened meanwhile are not.</p>
${formState.of('switch-on').form(html``, 'Switch on')}
</details>`
}

export const webhookForms: DeskForms = {
  async change(visit, { fields }) {
    const webhookId = webhookIdIn(visit)
    await visit.perform(CHANGE, { webhookId, url: fields.url, events: chosenFrom(fields, 'events') })
    return { to: webhookLink({ webhookId }), notice: 'webhook-changed' }
  },
  async 'switch-on'(visit) {
    const webhookId = webhookIdIn(visit)
    await visit.perform(CHANGE, { webhookId, isEnabled: true })
    return { to: webhookLink({ webhookId }), notice: 'webhook-switched-on' }
  },
  async 'switch-off'(visit) {
    const webhookId = webhookIdIn(visit)
    await visit.perform(CHANGE, { webhookId, isEnabled: false })
    return { to: webhookLink({ webhookId }), notice: 'webhook-switched-off' }
  },
  async rotate(visit, { fields }) {
    const input = { webhookId: webhookIdIn(visit), overlapHours: Number(fields.overlapHours) }
    const { webhook, secret } = await visit.perform<DataOf<typeof rotateWebhookSecret>>(ROTATE, input)
    return { title: 'The secret of the webhook', main: secretCard(webhook, secret) }
  },
  async delete(visit) {
    await visit.perform(DELETE, { webhookId: webhookIdIn(visit) })
    return { to: WEBHOOKS_PATH, notice: 'webhook-deleted' }
  },
  async resend(visit, { fields: { deliveryId } }) {
    await visit.perform(RESEND, { deliveryId })
    return { to: visit.request.url, notice: 'delivery-resent' }
  },
}
