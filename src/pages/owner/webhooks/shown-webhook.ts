import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../../database/webhook-tables.ts'
import type { listWebhooks } from '../../../owner/list-webhooks.ts'
import { someChoices } from '../../account/choices.ts'
import type { FormView } from '../../account/form-view.ts'
import { type Html, html } from '../../html.ts'
import type { DataOf } from '../page.ts'
import { shortMoment } from '../shown-values.ts'

export const WEBHOOKS_PATH = '/owner/webhooks'
export const WEBHOOK_PATH = '/owner/webhook'

export type ShownWebhook = DataOf<typeof listWebhooks>['webhooks'][number]

const EVENTS: Record<WebhookEventType, string> = {
  'account.created': 'Somebody registered, or an owner created an account.',
  'account.verified': 'The e-mail address is proved.',
  'account.email-changed': 'The account has another e-mail address.',
  'account.suspended': 'An owner suspended the account.',
  'account.suspension-lifted': 'An owner lifted the suspension before its end.',
  'account.deleted': 'The person or an owner deleted the account.',
  'session.started': 'Somebody signed in.',
}

export function webhookLink({ webhookId }: Pick<ShownWebhook, 'webhookId'>): string {
  return `${WEBHOOK_PATH}?${new URLSearchParams({ webhookId })}`
}

/** The state of a webhook in words, and the style of its badge. */
export function stateOf({ disabledAt, failingSince }: ShownWebhook): { words: string; look: 'bad' | 'warn' | 'good' } {
  if (disabledAt !== null) return { words: `Off since ${shortMoment(disabledAt)}`, look: 'bad' }
  if (failingSince !== null) return { words: `Failing since ${shortMoment(failingSince)}`, look: 'warn' }
  return { words: 'On', look: 'good' }
}

export function stateBadge(webhook: ShownWebhook): Html {
  const { words, look } = stateOf(webhook)
  return html`<span class="badge ${look}">${words}</span>`
}

/** The types of its events, of which none is broken at its hyphen. */
export function eventList({ events }: ShownWebhook): Html {
  return html`${events.map((type, index) => html`${index > 0 && ', '}<span class="whole">${type}</span>`)}`
}

/** The fields of a webhook, for a new one and for a change. */
export function webhookFields(form: FormView, { url, events }: Pick<ShownWebhook, 'url' | 'events'>): Html {
  const options = Object.fromEntries(
    WEBHOOK_EVENT_TYPES.map((type) => [type, { label: html`<code>${type}</code>`, hint: EVENTS[type] }]),
  ) as Record<WebhookEventType, { label: Html; hint: string }>
  return html`${form.input({
    name: 'url',
    label: 'URL',
    type: 'url',
    value: url,
    hint: 'It gets a POST request for each event.',
    autocomplete: 'off',
    attributes: html` placeholder="https://hooks.example.com/portico" spellcheck="false"`,
  })}
${someChoices(form, { name: 'events', legend: 'Events', options, chosen: events })}`
}

/** A new secret. The page is the only place that ever shows it. */
export function secretCard(webhook: ShownWebhook, secret: string): Html {
  return html`<h1>The secret of the webhook</h1>
<div class="card narrow">
<p>The receiver verifies with it that a call is from this site. Store it there now: you see it only this once.</p>
<pre class="key">${secret}</pre>
<p class="actions"><a class="button" href="${webhookLink(webhook)}">I have saved it</a></p>
</div>`
}
