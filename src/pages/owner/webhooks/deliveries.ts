import { counted } from '../../../lib/counted.ts'
import { printable } from '../../../lib/printable.ts'
import type { listWebhookDeliveries } from '../../../owner/list-webhook-deliveries.ts'
import type { FormState } from '../../account/form-state.ts'
import { timeOf } from '../../account/security/shown-values.ts'
import { type Html, html } from '../../html.ts'
import type { DataOf } from '../page.ts'
import { chosen, chosenInMarkdown, shortMoment } from '../shown-values.ts'
import type { ShownWebhook } from './shown-webhook.ts'

type Delivery = DataOf<typeof listWebhookDeliveries>['deliveries'][number]

const STATES: Record<Delivery['state'], { words: string; look: string }> = {
  waiting: { words: 'Waiting', look: 'warn' },
  delivered: { words: 'Delivered', look: 'good' },
  failed: { words: 'Failed', look: 'bad' },
}

export function deliveryTable(deliveries: Delivery[], webhook: ShownWebhook, formState: FormState): Html {
  return html`<table class="dense deliveries">
<caption class="unseen">Deliveries</caption>
<thead><tr><th scope="col" class="what">Event</th><th scope="col" class="badges">State</th><th scope="col">Result</th><th scope="col" class="when">When</th><th scope="col" class="act"><span class="unseen">Action</span></th></tr></thead>
<tbody>
${deliveries.map((delivery) => row(delivery, webhook, formState))}</tbody>
</table>`
}

function row(delivery: Delivery, { isEnabled }: ShownWebhook, formState: FormState): Html {
  const { deliveryId, type, state, createdAt, payload } = delivery
  const { words, look } = STATES[state]
  return html`<tr>
<td class="what"><details><summary>${type}</summary><p class="id">${deliveryId}</p><pre>${readable(payload)}</pre></details></td>
<td class="badges"><span class="badge ${look}">${words}</span></td>
<td class="result">${resultOf(delivery, isEnabled).map((text, index) => html`${index > 0 && ' · '}${chosen(text)}`)}</td>
<td class="when">${timeOf(createdAt)}</td>
<td class="act">${isEnabled && formState.of('resend').form(html`<input type="hidden" name="deliveryId" value="${deliveryId}">`, 'Resend', { look: 'plain', of: deliveryId })}</td>
</tr>
`
}

/** The result of the delivery so far, and its next step. */
function resultOf({ attempts, statusCode, lastError, nextAttemptAt }: Delivery, isEnabled: boolean): string[] {
  const last = statusCode === null ? lastError : `Status ${statusCode}`
  const next =
    nextAttemptAt !== null &&
    (isEnabled ? `next attempt ${shortMoment(nextAttemptAt)}` : 'waits until the webhook is on')
  return [last, attempts === 0 ? 'Not tried yet' : counted(attempts, 'attempt'), next].filter(
    (text) => text !== null && text !== false,
  )
}

/** The JSON of the body with line breaks. */
function readable(payload: string): string {
  return JSON.stringify(JSON.parse(payload), null, 2).split('\n').map(printable).join('\n')
}

export function noDeliveries({ isEnabled }: ShownWebhook, after: string | undefined): Html {
  if (after) return html`<div class="empty"><p>There is nothing before the page before.</p></div>`
  return html`<div class="empty"><p>Nothing was sent yet.</p>
<p>${isEnabled ? 'Each event of the next 30 days appears here, with its body and the response. Do something that causes one, such as a sign-in.' : 'The webhook is off. Switch it on to send events to it.'}</p></div>`
}

export function deliveryInMarkdown(delivery: Delivery): string {
  const { deliveryId, type, state, statusCode, lastError, attempts, createdAt, nextAttemptAt, payload } = delivery
  const facts = [
    state,
    statusCode !== null && `status ${statusCode}`,
    counted(attempts, 'attempt'),
    lastError !== null && chosenInMarkdown(lastError),
    nextAttemptAt !== null && `next attempt ${nextAttemptAt}`,
    `body: ${chosenInMarkdown(payload)}`,
  ]
  return `- ${createdAt}: ${type}, ${deliveryId}: ${facts.filter(Boolean).join('; ')}`
}
