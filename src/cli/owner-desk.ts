import { createCodes } from '../accounts/codes.ts'
import { createEmailUndos } from '../accounts/email-undos.ts'
import { createInvitations } from '../accounts/invitations.ts'
import { uncommonKeyword } from '../accounts/password-policy.ts'
import { createContentStatus } from '../content/content-status.ts'
import { openClock } from '../database/clock.ts'
import { openKeyedHash, readSecret } from '../database/secrets.ts'
import { COMMAND_LINE } from '../events/owner-actions.ts'
import { createWebhookEvents } from '../events/webhook-events.ts'
import { Refusal } from '../http/refusal.ts'
import { createValidation } from '../http/validation.ts'
import { createLimits } from '../limits/limits.ts'
import { createMessages } from '../mail/messages.ts'
import { createOutbox } from '../mail/outbox.ts'
import { createSiteIdentity } from '../mail/site-identity.ts'
import { unverifiedPerson } from '../owner/lock-person.ts'
import type { OwnerOperation } from '../owner/owner-operation.ts'
import type { OwnerParts } from '../owner/parts.ts'
import { createSecretBox } from '../proofs/secret-box.ts'
import { CommandError } from './command.ts'
import { withExistingDatabase } from './open.ts'
import type { Terminal } from './terminal.ts'

export interface OwnerDesk {
  parts: OwnerParts
  /** Runs an operation of the owner's desk, with the same validation as the API. */
  run<Data>(operation: OwnerOperation<never, never, Data>, input?: { body?: object; query?: object }): Promise<Data>
}

/** Opens the database for the operations of the owner's desk. Access to the database is the proof of the operator. */
export function withOwnerDesk<T>(terminal: Terminal, work: (desk: OwnerDesk) => Promise<T>): Promise<T> {
  return withExistingDatabase(terminal, async (database, config) => {
    const hash = await openKeyedHash(database.query)
    const clock = await openClock(database)
    const parts: OwnerParts = {
      config,
      database,
      clock,
      // Running services read the outbox and the deliveries of webhooks every five seconds.
      outbox: createOutbox(database, () => {}),
      webhookEvents: createWebhookEvents(database, clock, () => {}),
      secretBox: createSecretBox(await readSecret(database.query, 'encryption-key'), config.encryptionKey),
      messages: createMessages(createSiteIdentity(config.baseUrl)),
      codes: createCodes(database, hash),
      emailUndos: createEmailUndos(database, hash),
      invitations: createInvitations(database, hash),
      limits: createLimits(config.rateLimits, database, hash),
      contentStatus: createContentStatus(config),
      clientInfoOf: () => COMMAND_LINE.clientInfo,
    }
    const validation = createValidation([uncommonKeyword])
    return work({
      parts,
      async run(operation, { body = {}, query = {} } = {}) {
        try {
          const input = {
            body: operation.body && (await validation.validate('body', operation.body, body)),
            query: operation.query && (await validation.validate('query', operation.query, query)),
          }
          const { data } = await operation.run({ ...(input as { body: never; query: never }), actor: COMMAND_LINE })
          return data as never
        } catch (error) {
          throw error instanceof Refusal ? new CommandError(explained(error)) : error
        }
      },
    })
  })
}

function explained({ kind, message, errors = [] }: Refusal): string {
  const details = errors.map((error) => error.message)
  const remedy =
    kind === unverifiedPerson ? ' It is verified with the code of the mail, or by "portico people verify".' : ''
  return `${details.length > 0 ? details.join('. ') : message}.${remedy}`
}
