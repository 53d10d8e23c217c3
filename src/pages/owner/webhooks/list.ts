import type { listWebhooks } from '../../../owner/list-webhooks.ts'
import { type Html, html } from '../../html.ts'
import type { DataOf, DeskPage } from '../page.ts'
import { chosen, chosenInMarkdown, shortDate } from '../shown-values.ts'
import { NEW_WEBHOOK_PATH } from './new.ts'
import { eventList, type ShownWebhook, stateBadge, stateOf, WEBHOOKS_PATH, webhookLink } from './shown-webhook.ts'

const CALL = 'GET /api/owner/webhooks'
const PURPOSE = 'A webhook is an address of another service that is called when something happens to an account.'

export function webhooksPage(): DeskPage {
  return {
    path: WEBHOOKS_PATH,
    tab: WEBHOOKS_PATH,
    description: 'The addresses that are called when something happens to an account.',
    calls: [CALL],
    scripts: [],
    async read({ perform }) {
      const { webhooks } = await perform<DataOf<typeof listWebhooks>>(CALL)
      return {
        title: 'Webhooks',
        main: () => html`<div class="desk-head"><h1>Webhooks</h1> ${webhooks.length > 0 && html`<a class="button quiet" href="${NEW_WEBHOOK_PATH}">Add a webhook</a>`}</div>
${webhooks.length > 0 ? table(webhooks) : none()}`,
        markdown: () => webhooks.map(inMarkdown).join('\n') || `There is none. ${PURPOSE}`,
      }
    },
  }
}

function table(webhooks: ShownWebhook[]): Html {
  return html`<table class="dense webhooks">
<caption class="unseen">Webhooks</caption>
<thead><tr><th scope="col">URL</th><th scope="col">Events</th><th scope="col" class="since">State</th><th scope="col" class="created">Created</th></tr></thead>
<tbody>
${webhooks.map(
  (webhook) => html`<tr>
<td class="name"><a href="${webhookLink(webhook)}">${chosen(webhook.url)}</a></td>
<td class="email">${eventList(webhook)}</td>
<td class="since">${stateBadge(webhook)}</td>
<td class="created">${shortDate(webhook.createdAt)}</td>
</tr>
`,
)}</tbody>
</table>`
}

function none(): Html {
  return html`<div class="empty"><p>There is no webhook yet.</p>
<p>${PURPOSE}</p>
<p><a class="button" href="${NEW_WEBHOOK_PATH}">Add a webhook</a></p></div>`
}

function inMarkdown(webhook: ShownWebhook): string {
  const link = webhookLink(webhook).replace('?', '.md?')
  return `- [${chosenInMarkdown(webhook.url)}](${link}): ${stateOf(webhook).words}; ${webhook.events.join(', ')}; created ${shortDate(webhook.createdAt)}`
}
