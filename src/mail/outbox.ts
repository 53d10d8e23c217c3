import { randomUUID } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import type { Message } from './message.ts'

export interface Outbox {
  /**
   * Inserts a mail in the transaction of the operation that causes it, so both are committed or neither. A mail with a
   * lifetime is not sent after it. Such a mail also deletes waiting mails to the recipient with the same subject: a
   * newer code invalidates the one before.
   */
  enqueue(tx: Tx, recipient: string, message: Message, lifetime?: { milliseconds: number }): Promise<void>
  /** Deletes the mails to an address that have a lifetime: their codes and links have been invalidated. */
  withdrawCodes(tx: Tx, recipient: string): Promise<void>
  /** Deletes the mails to an address that have this subject, waiting or failed. */
  withdraw(tx: Tx, recipient: string, subject: string): Promise<void>
}

export function createOutbox(database: Database, wake: () => void): Outbox {
  return {
    async enqueue(tx, recipient, { subject, text, html }, lifetime) {
      if (lifetime) await deletePending(tx, recipient, subject)
      await tx
        .insertInto('outbox')
        .values((eb) => ({
          id: randomUUID(),
          recipient,
          subject,
          text_body: text,
          html_body: html,
          created_at: database.now,
          due_at: database.now,
          expires_at: lifetime ? eb(database.now, '+', lifetime.milliseconds) : null,
        }))
        .execute()
      database.afterCommit(tx, wake)
    },
    async withdrawCodes(tx, recipient) {
      await tx.deleteFrom('outbox').where('recipient', '=', recipient).where('expires_at', 'is not', null).execute()
    },
    async withdraw(tx, recipient, subject) {
      await tx.deleteFrom('outbox').where('recipient', '=', recipient).where('subject', '=', subject).execute()
    },
  }
}

async function deletePending(tx: Tx, recipient: string, subject: string): Promise<void> {
  await tx
    .deleteFrom('outbox')
    .where('recipient', '=', recipient)
    .where('subject', '=', subject)
    .where('failed_at', 'is', null)
    .execute()
}

/**
 * Condition: no account and no invitation has the recipient's address. A failed mail to a deleted account is not kept,
 * as it names the user. That of an invitation is kept, so that the owner who invited can see it.
 */
export function hasNoAccountOrInvitation(eb: ExpressionBuilder<Tables, 'outbox'>) {
  const accounts = eb.selectFrom('users').select('id').whereRef('users.email', '=', 'outbox.recipient')
  const invitations = eb.selectFrom('invitations').select('id').whereRef('invitations.email', '=', 'outbox.recipient')
  return eb.not(eb.or([eb.exists(accounts), eb.exists(invitations)]))
}
