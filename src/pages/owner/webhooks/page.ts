import { Refusal } from '../../../http/refusal.ts'
import { longMoment } from '../../../lib/dates.ts'
import type { listWebhookDeliveries } from '../../../owner/list-webhook-deliveries.ts'
import type { listWebhooks } from '../../../owner/list-webhooks.ts'
import { unknownWebhook } from '../../../owner/webhook.ts'
import { html } from '../../html.ts'
import { markdownPath } from '../../layout.ts'
import type { DataOf, DeskPage } from '../page.ts'
import { addressWith, askedIn, pager } from '../pager.ts'
import { type Fact, factsCard, factsInMarkdown } from '../person/facts.ts'
import { chosen } from '../shown-values.ts'
import { ACTION_CALLS, actionsCard, webhookForms } from './actions.ts'
import { deliveryInMarkdown, deliveryTable, noDeliveries } from './deliveries.ts'
import { type ShownWebhook, stateBadge, stateOf, WEBHOOK_PATH, WEBHOOKS_PATH } from './shown-webhook.ts'

const LIST = 'GET /api/owner/webhooks'
const SHOWN_IN_HEADING = ['State', 'URL']
const DELIVERIES = 'GET /api/owner/webhooks/deliveries'

export function webhookPage(): DeskPage {
  return {
    path: WEBHOOK_PATH,
    tab: WEBHOOKS_PATH,
    description: 'A webhook: its state, what was sent to it, and what an owner can change.',
    calls: [LIST, DELIVERIES, ...ACTION_CALLS],
    scripts: ['relative-times', 'copy-code'],
    async read({ perform, query }) {
      const asked = askedIn(query, ['webhookId', 'limit', 'after'])
      const { deliveries, next } = await perform<DataOf<typeof listWebhookDeliveries>>(DELIVERIES, asked)
      const { webhooks } = await perform<DataOf<typeof listWebhooks>>(LIST)
      const webhook = webhooks.find(({ webhookId }) => webhookId === asked.webhookId)
      if (!webhook) throw new Refusal(unknownWebhook)
      const facts = factsOf(webhook)
      const linkTo = (after: string, path = WEBHOOK_PATH) => addressWith(path, { ...asked, after })
      return {
        title: new URL(webhook.url).host,
        main: (formState) => html`<div class="hook-head"><h1>${chosen(webhook.url)}</h1> ${stateBadge(webhook)}</div>
<div class="person">
${factsCard(
  'Webhook',
  facts.filter(([label]) => !SHOWN_IN_HEADING.includes(label)),
)}
${actionsCard(webhook, formState)}
</div>
<section aria-labelledby="deliveries">
<h2 id="deliveries">Deliveries</h2>
${deliveries.length > 0 ? deliveryTable(deliveries, webhook, formState) : noDeliveries(webhook, asked.after)}
${pager({ first: asked.after && linkTo(''), next: next === null ? undefined : linkTo(next) })}
</section>`,
        markdown: () =>
          [
            factsInMarkdown(facts),
            '## Deliveries',
            deliveries.map(deliveryInMarkdown).join('\n') || 'None.',
            next !== null && `[Next page](${linkTo(next, markdownPath(WEBHOOK_PATH))})`,
          ]
            .filter(Boolean)
            .join('\n\n'),
      }
    },
    forms: webhookForms,
  }
}

function factsOf(webhook: ShownWebhook): Fact[] {
  const { url, events, createdAt, previousSecretUntil, webhookId } = webhook
  return [
    ['State', stateOf(webhook).words],
    ['URL', url],
    ['Events', events.join(', ')],
    ['Created', longMoment(new Date(createdAt))],
    ...(previousSecretUntil === null
      ? []
      : [['Former secret', `Signs until ${longMoment(new Date(previousSecretUntil))}`] as Fact]),
    ['Id', webhookId],
  ]
}
