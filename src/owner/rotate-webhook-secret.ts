import { recordAction } from '../events/owner-actions.ts'
import { Type } from '../http/schema.ts'
import { HOUR_MS } from '../lib/dates.ts'
import { newSecret, secretText } from '../webhooks/signature.ts'
import { requireOwnerRole } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { lockWebhook, Secret, unknownWebhook, Webhook, WebhookId, webhookOf } from './webhook.ts'

const DEFAULT_OVERLAP_HOURS = 24

export function rotateWebhookSecret(parts: OwnerParts) {
  const { database, secretBox } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    message: 'Secret replaced successfully',
    description:
      'During the overlap every request has two signatures, of the new secret and of the one before, so that the ' +
      'receiver can change its setting at any time of it. With an overlap of 0 the secret before is invalid at once.',
    body: Type.Object({
      webhookId: WebhookId,
      overlapHours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 168,
          'x-message': 'Overlap hours must be from 0 to 168',
          description: `${DEFAULT_OVERLAP_HOURS} by default`,
          examples: [DEFAULT_OVERLAP_HOURS],
        }),
      ),
    }),
    data: Type.Object({ webhook: Webhook, secret: Secret }, { title: 'WebhookSecretRotated' }),
    refusals: [unknownWebhook],
    destroys: true,
    async run({ body: { webhookId, overlapHours = DEFAULT_OVERLAP_HOURS }, actor }) {
      const secret = newSecret()
      const webhook = await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        await lockWebhook(tx, webhookId)
        await recordAction(tx, now, actor, { action: 'webhook.secret-rotated', details: { webhookId, overlapHours } })
        return tx
          .updateTable('webhooks')
          .set((eb) => ({
            secret: secretBox.seal(webhookId, secret),
            previous_secret: overlapHours === 0 ? null : eb.ref('secret'),
            previous_until: overlapHours === 0 ? null : eb(now, '+', overlapHours * HOUR_MS),
          }))
          .where('id', '=', webhookId)
          .returningAll()
          .executeTakeFirstOrThrow()
      })
      return { data: { webhook: webhookOf(webhook), secret: secretText(secret) } }
    },
  })
}
