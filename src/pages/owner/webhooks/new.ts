import type { createWebhook } from '../../../owner/create-webhook.ts'
import { chosenFrom } from '../../account/choices.ts'
import { html } from '../../html.ts'
import type { DataOf, DeskPage } from '../page.ts'
import { secretCard, WEBHOOKS_PATH, webhookFields } from './shown-webhook.ts'

export const NEW_WEBHOOK_PATH = '/owner/webhooks/new'
const CALL = 'POST /api/owner/webhooks'
const PURPOSE =
  'Events have the id and the e-mail address of the account. Calls are signed as Standard Webhooks defines it. The secret of the signatures is shown once.'

export function newWebhookPage(): DeskPage {
  return {
    path: NEW_WEBHOOK_PATH,
    tab: WEBHOOKS_PATH,
    description: 'Have an address called when something happens to an account.',
    calls: [CALL],
    scripts: ['copy-code'],
    needsProof: true,
    read: async () => ({
      title: 'Add a webhook',
      main(formState) {
        const form = formState.of('create')
        return html`<h1>Add a webhook</h1>
<div class="card narrow">
<p>${PURPOSE}</p>
${form.form(webhookFields(form, { url: '', events: [] }), 'Add the webhook')}
</div>`
      },
      markdown: () => PURPOSE,
    }),
    forms: {
      async create({ perform }, { fields }) {
        const input = { url: fields.url, events: chosenFrom(fields, 'events') }
        const { webhook, secret } = await perform<DataOf<typeof createWebhook>>(CALL, input)
        return { title: 'The secret of the webhook', main: secretCard(webhook, secret) }
      },
    },
  }
}
