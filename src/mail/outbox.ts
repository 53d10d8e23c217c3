import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Message } from './message.ts'

export interface Outbox {
  /** Writes a mail in the transaction of what caused it: both happen, or neither. */
  post(tx: Tx, recipient: string, message: Message, lifetime?: { milliseconds: number }): Promise<void>
}

export function createOutbox(database: Database, wake: () => void): Outbox {
  return {
    async post(tx, recipient, { subject, text, html }, lifetime) {
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
