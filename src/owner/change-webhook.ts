import { changedFields, recordAction } from '../events/owner-actions.ts'
import { Type } from '../http/schema.ts'
import { requireOwnerRole } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import {
  checkedUrl,
  EventTypes,
  lockWebhook,
  originOf,
  storedEvents,
  unknownWebhook,
  Webhook,
  WebhookId,
  WebhookUrl,
  webhookOf,
} from './webhook.ts'

// A webhook that an owner switches on or off, or that gets another URL, has not failed. It is tried at once.
const FRESH = { failing_since: null, paused_until: null }

export function changeWebhook(parts: OwnerParts) {
  const { config, database } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'changeWebhook',
    summary: 'Change the URL or the events of a webhook, or switch it on or off',
    message: 'Webhook changed successfully',
    description:
      'Fields that are left out stay as they are. Events that happen while it is off are not sent to it. Those that ' +
      'were waiting when it was switched off are sent when it is on again.',
    body: Type.Object({
      webhookId: WebhookId,
      url: Type.Optional(WebhookUrl),
      events: Type.Optional(EventTypes),
      isEnabled: Type.Optional(Type.Boolean({ examples: [true] })),
    }),
    data: Type.Object({ webhook: Webhook }, { title: 'WebhookChanged' }),
    refusals: [unknownWebhook],
    destroys: true,
    async run({ body: { webhookId, url, events, isEnabled }, actor }) {
      const newUrl = url === undefined ? undefined : checkedUrl(url, config)
      const webhook = await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        const before = await lockWebhook(tx, webhookId)
        const after = await tx
          .updateTable('webhooks')
          .set((eb) => ({
            ...(newUrl !== undefined && { url: newUrl }),
            ...(events && { events: storedEvents(events) }),
            ...((newUrl !== undefined || isEnabled !== undefined) && FRESH),
            disabled_at: isEnabled
              ? null
              : isEnabled === false
                ? eb.fn.coalesce('disabled_at', now)
                : before.disabled_at,
          }))
          .where('id', '=', webhookId)
          .returningAll()
          .executeTakeFirstOrThrow()
        await recordAction(tx, now, actor, {
          action: 'webhook.changed',
          details: { webhookId, ...changedFields(factsOf(before), factsOf(after)) },
        })
        return after
      })
      return { data: { webhook: webhookOf(webhook) } }
    },
  })
}

function factsOf(row: { url: string; events: string; disabled_at: number | null }): Record<string, unknown> {
  return { url: originOf(row.url), events: JSON.parse(row.events), isEnabled: row.disabled_at === null }
}
