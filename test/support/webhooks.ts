import assert from 'node:assert/strict'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { assertSucceeded, del, get, type Person, post } from './api.ts'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import { listenOnLoopback } from './local-servers.ts'
import type { Service } from './service.ts'

/** The settings of a service that may call receivers of this machine. */
export const PRIVATE_WEBHOOKS = { WEBHOOK_PRIVATE_ADDRESSES: 'on' }

export interface ReceivedWebhook {
  path: string
  headers: IncomingHttpHeaders & Record<string, string>
  body: string
}

/** A receiver of webhooks on this machine. It responds with `status`, or as `respond` does. */
export async function startReceiver(test: CleanedUp) {
  const received: ReceivedWebhook[] = []
  const receiver = {
    url: '',
    received,
    status: 204,
    respond: undefined as ((response: ServerResponse) => void) | undefined,
    /** The bodies with this type, about this account. */
    eventsOf: (userId: string) =>
      received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.userId === userId),
  }
  const server = await listenOnLoopback(async (request, response) => {
    const body = await text(request)
    received.push({ path: request.url ?? '', headers: request.headers as ReceivedWebhook['headers'], body })
    if (receiver.respond) receiver.respond(response)
    else response.writeHead(receiver.status).end()
  })
  cleanUp(test, () => server.close())
  receiver.url = `${server.url}/hook`
  return receiver
}

export interface CreatedWebhook {
  webhookId: string
  secret: string
}

export async function createWebhook(
  service: Service,
  as: Person,
  url: string,
  events: readonly string[],
): Promise<CreatedWebhook> {
  const response = await post(service, '/api/owner/webhooks', { url, events }, { as })
  assertSucceeded(response, 201)
  const { webhook, secret } = response.body.data
  return { webhookId: webhook.webhookId, secret }
}

/** A webhook at a receiver of its own. */
export async function webhookAtReceiver(service: Service, test: CleanedUp, owner: Person, events: readonly string[]) {
  const receiver = await startReceiver(test)
  const webhook = await createWebhook(service, owner, receiver.url, events)
  const list = async () => {
    const { webhooks } = (await get(service, '/api/owner/webhooks', { as: owner })).body.data
    return webhooks.find(({ webhookId }: { webhookId: string }) => webhookId === webhook.webhookId)
  }
  const remove = async () => {
    const { webhookId } = webhook
    assertSucceeded(await del(service, '/api/owner/webhooks', { webhookId }, { as: owner }))
  }
  return { receiver, ...webhook, list, remove }
}

/** Sends everything that is due. */
export async function deliverDue({ portico: { webhookWorker } }: Service): Promise<void> {
  webhookWorker.wake()
  await webhookWorker.idle()
}

/** The stored deliveries of a webhook, the oldest first. */
export async function deliveriesOf({ portico: { database } }: Service, webhookId: string) {
  const rows = await database.query
    .selectFrom('webhook_deliveries')
    .selectAll()
    .select((eb) => eb('due_at', '-', database.now).as('due_in'))
    .where('webhook_id', '=', webhookId)
    .orderBy('created_at')
    .execute()
  return rows.map((row) => ({ ...row }))
}

export async function onlyDeliveryOf(service: Service, webhookId: string) {
  const [delivery, ...others] = await deliveriesOf(service, webhookId)
  assert.ok(delivery)
  assert.deepEqual(others, [])
  return delivery
}
