import { type ExpressionBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { LEASE_MS } from './delivery-worker.ts'

/** A mail of the outbox without its text, which may contain a code. */
export interface OutboxMail {
  id: string
  recipient: string
  subject: string
  attempts: number
  createdAt: number
  /** When delivery is tried next. Null if delivery has failed permanently. */
  dueAt: number | null
  failedAt: number | null
  /** After this time the mail is not sent. */
  expiresAt: number | null
  lastError: string | null
}

/** What happened to the mails that an operator has named. */
export interface Outcome {
  done: string[]
  /** The mails that were left as they were. */
  left: { id: string; reason: LeftReason }[]
}

/** `sending`: an instance may be sending the mail. `expired`: the code in it is no longer valid. */
export type LeftReason = 'unknown' | 'sending' | 'expired'

/** The mails of the outbox, the oldest first. */
export async function listMails({ query }: Database, { onlyFailed = false } = {}): Promise<OutboxMail[]> {
  const rows = await query
    .selectFrom('outbox')
    .select(['id', 'recipient', 'subject', 'attempts', 'created_at', 'due_at', 'failed_at', 'expires_at', 'last_error'])
    .$if(onlyFailed, (select) => select.where('failed_at', 'is not', null))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ created_at, due_at, failed_at, expires_at, last_error, ...row }) => ({
    ...row,
    createdAt: created_at,
    dueAt: failed_at === null ? due_at : null,
    failedAt: failed_at,
    expiresAt: expires_at,
    lastError: last_error,
  }))
}

/**
 * Makes mails due now, as if they had never been tried. Running services read the outbox every five seconds. An expired
 * mail is left: the delivery worker would delete it.
 */
export async function retryMails(database: Database, ids: string[]): Promise<Outcome> {
  const { query, now } = database
  const rows = await query
    .updateTable('outbox')
    .set({ attempts: 0, due_at: now, failed_at: null })
    .where(isOneOf(database, ids))
    .where((eb) => eb.not(isExpired(eb, database)))
    .where((eb) => eb.not(mayBeInFlight(eb, database)))
    .returning('id')
    .execute()
  return outcomeOf(database, ids, rows)
}

/** Deletes mails, and their content from the SQLite files. */
export async function dropMails(database: Database, ids: string[]): Promise<Outcome> {
  const rows = await database.query
    .deleteFrom('outbox')
    .where(isOneOf(database, ids))
    .where((eb) => eb.not(mayBeInFlight(eb, database)))
    .returning('id')
    .execute()
  if (rows.length > 0) await database.eraseDeletedContent()
  return outcomeOf(database, ids, rows)
}

async function outcomeOf(database: Database, ids: string[], rows: { id: string }[]): Promise<Outcome> {
  const done = new Set(rows.map(({ id }) => id))
  const left = [...new Set(ids)].filter((id) => !done.has(id))
  const found = await database.query
    .selectFrom('outbox')
    .select(['id', (eb) => eb.case().when(isExpired(eb, database)).then(1).else(0).end().as('is_expired')])
    .where(isOneOf(database, left))
    .execute()
  const reasons = new Map<string, LeftReason>(
    found.map(({ id, is_expired }) => [id, is_expired ? 'expired' : 'sending']),
  )
  return { done: [...done], left: left.map((id) => ({ id, reason: reasons.get(id) ?? 'unknown' })) }
}

type OutboxExpressions = ExpressionBuilder<Tables, 'outbox'>

const isOneOf = (database: Database, ids: string[]) => database.isAmong('id', sql`${JSON.stringify(ids)}`)

function isExpired(eb: OutboxExpressions, { now }: Database) {
  return eb.and([eb('expires_at', 'is not', null), eb('expires_at', '<=', now)])
}

/**
 * Whether an instance may be sending the mail. A worker that claims a mail moves `due_at` ahead by LEASE_MS, and short
 * backoffs end in the same range, so both are left alone: the mail is tried again within minutes anyway. The range is
 * twice the lease, because PostgreSQL evaluates this condition with the time of the beginning of the statement, also
 * after it has waited for a worker that was claiming the row.
 */
function mayBeInFlight(eb: OutboxExpressions, { now }: Database) {
  return eb.and([
    eb('failed_at', 'is', null),
    eb('attempts', '>', 0),
    eb('due_at', '>', now),
    eb('due_at', '<=', eb(now, '+', 2 * LEASE_MS)),
  ])
}
