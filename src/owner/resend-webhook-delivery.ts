import { mayBeInFlight } from '../database/lease-worker.ts'
import { recordAction } from '../events/owner-actions.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { Delivery, DeliveryId, deliveryOf } from './list-webhook-deliveries.ts'
import { requireOwnerRole } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { lockWebhook } from './webhook.ts'

const unknownDelivery = declareRefusal({
  status: 404,
  code: 'delivery_not_found',
  message: 'There is no such delivery',
  when: 'No delivery has the id. It may be older than the delivery log, or its account or webhook is deleted',
})

const underWay = declareRefusal({
  status: 409,
  code: 'delivery_under_way',
  message: 'The event is being sent, or will be tried again within four minutes',
  when: 'An instance may be sending the event now',
})

const webhookOff = declareRefusal({
  status: 409,
  code: 'webhook_off',
  message: 'The webhook is switched off: switch it on first',
  when: 'Nothing is sent to a webhook that is off',
})

export function resendWebhookDelivery(parts: OwnerParts) {
  const { database, webhookEvents } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'resendWebhookDelivery',
    summary: 'Send an event to its webhook again',
    message: 'The event will be sent again',
    description: 'With the same id and body as before, also if it was delivered.',
    body: Type.Object({ deliveryId: DeliveryId }),
    data: Type.Object({ delivery: Delivery }, { title: 'WebhookDeliveryResent' }),
    refusals: [unknownDelivery, underWay, webhookOff],
    async run({ body: { deliveryId }, actor }) {
      const delivery = await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        const before = await tx
          .selectFrom('webhook_deliveries')
          .select('webhook_id')
          .where('id', '=', deliveryId)
          .executeTakeFirst()
        if (!before) throw new Refusal(unknownDelivery)
        const webhook = await lockWebhook(tx, before.webhook_id)
        if (webhook.disabled_at !== null) throw new Refusal(webhookOff)
        const due = await tx
          .updateTable('webhook_deliveries')
          .set({ due_at: now, attempts: 0, delivered_at: null })
          .where('id', '=', deliveryId)
          .where((eb) => eb.or([eb('due_at', 'is', null), eb.not(mayBeInFlight(database))]))
          .returningAll()
          .executeTakeFirst()
        if (!due) throw new Refusal(underWay)
        await tx.updateTable('webhooks').set({ paused_until: null }).where('id', '=', webhook.id).execute()
        await recordAction(tx, now, actor, {
          action: 'webhook.delivery-resent',
          details: { webhookId: webhook.id, deliveryId },
        })
        webhookEvents.wakeAfter(tx)
        return due
      })
      return { data: { delivery: deliveryOf(delivery) } }
    },
  })
}
