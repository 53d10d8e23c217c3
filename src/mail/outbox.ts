import { randomUUID } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import type { Message } from './message.ts'

export interface Outbox {
  /**
   * Writes a mail in the transaction of what caused it: both happen, or neither. One with a lifetime is not sent later
   * than that, and not when another with the same subject has followed it: a newer code ends the one before.
   */
  post(tx: Tx, recipient: string, message: Message, lifetime?: { milliseconds: number }): Promise<void>
}

export function createOutbox(database: Database, wake: () => void): Outbox {
  return {
    async post(tx, recipient, { subject, text, html }, lifetime) {
      if (lifetime) await withdraw(tx, recipient, subject)
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
  }
}

async function withdraw(tx: Tx, recipient: string, subject: string): Promise<void> {
  await tx
    .deleteFrom('outbox')
    .where('recipient', '=', recipient)
    .where('subject', '=', subject)
    .where('failed_at', 'is', null)
    .execute()
}

/** Of a mail to somebody who has no account any more: once it is given up, nothing may name them. */
export function readerIsGone(eb: ExpressionBuilder<Tables, 'outbox'>) {
  return eb.not(eb.exists(eb.selectFrom('users').select('id').whereRef('users.email', '=', 'outbox.recipient')))
}
