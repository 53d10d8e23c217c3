import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Query } from '../database/engine.ts'
import { mayBeInFlight } from '../database/lease-worker.ts'
import type { Tables } from '../database/tables.ts'

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

/** The result for the mails that an operator has named. */
export interface Outcome {
  done: string[]
  /** The mails that were left as they were. */
  left: { id: string; reason: LeftReason }[]
}

/** `sending`: an instance may be sending the mail. `expired`: the code in it is no longer valid. */
export type LeftReason = 'unknown' | 'sending' | 'expired'

const COLUMNS = [
  'id',
  'recipient',
  'subject',
  'attempts',
  'created_at',
  'due_at',
  'failed_at',
  'expires_at',
  'last_error',
] as const

/** The mails of the outbox, the oldest first. */
export async function listMails({ query }: Database, { onlyFailed = false } = {}): Promise<OutboxMail[]> {
  const rows = await query
    .selectFrom('outbox')
    .select(COLUMNS)
    .$if(onlyFailed, (select) => select.where('failed_at', 'is not', null))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(mailOf)
}

export type MailState = 'failed' | 'waiting'
/** A place in the list of one state: the time that the list is ordered by, and the id of the mail. */
export type MailPosition = [time: number, id: string]

/**
 * Some of the mails in one state: failed ones from the latest failure on, waiting ones in the order of their next
 * attempts. Each order has a partial index, so the cost does not depend on the number of mails.
 */
export async function pageOfMails(
  { query }: Database,
  { state, after, limit }: { state: MailState; after: MailPosition | undefined; limit: number },
): Promise<{ mails: OutboxMail[]; next: MailPosition | undefined }> {
  const [column, direction, comparison] =
    state === 'failed' ? (['failed_at', 'desc', '<'] as const) : (['due_at', 'asc', '>'] as const)
  const rows = await query
    .selectFrom('outbox')
    .select(COLUMNS)
    .where('failed_at', state === 'failed' ? 'is not' : 'is', null)
    .$if(after !== undefined, (select) =>
      select.where(({ eb, refTuple, tuple }) =>
        eb(refTuple(column, 'id'), comparison, tuple(after?.[0] as never, after?.[1] ?? '')),
      ),
    )
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(limit + 1)
    .execute()
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { mails: rows.slice(0, limit).map(mailOf), next: last && [last[column] ?? 0, last.id] }
}

function mailOf({ created_at, due_at, failed_at, expires_at, last_error, ...row }: StoredMail): OutboxMail {
  return {
    ...row,
    createdAt: created_at,
    dueAt: failed_at === null ? due_at : null,
    failedAt: failed_at,
    expiresAt: expires_at,
    lastError: last_error,
  }
}

type StoredMail = Pick<Selectable<Tables['outbox']>, (typeof COLUMNS)[number]>

/**
 * Makes mails due now, as if they had never been tried. Running services read the outbox every five seconds. An expired
 * mail is left: the delivery worker would delete it.
 */
export async function retryMails(database: Database, ids: string[], query: Query = database.query): Promise<Outcome> {
  const { now } = database
  const rows = await query
    .updateTable('outbox')
    .set({ attempts: 0, due_at: now, failed_at: null })
    .where(isOneOf(database, ids))
    .where((eb) => eb.not(isExpired(eb, database)))
    .where((eb) => eb.not(mayBeSending(eb, database)))
    .returning('id')
    .execute()
  return outcomeOf(database, query, ids, rows)
}

/** Deletes mails. The caller erases their content from the SQLite files. */
export async function dropMails(database: Database, ids: string[], query: Query = database.query): Promise<Outcome> {
  const rows = await query
    .deleteFrom('outbox')
    .where(isOneOf(database, ids))
    .where((eb) => eb.not(mayBeSending(eb, database)))
    .returning('id')
    .execute()
  return outcomeOf(database, query, ids, rows)
}

async function outcomeOf(database: Database, query: Query, ids: string[], rows: { id: string }[]): Promise<Outcome> {
  const done = new Set(rows.map(({ id }) => id))
  const left = [...new Set(ids)].filter((id) => !done.has(id))
  const found = await query
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

/** Whether an instance may be sending the mail. */
function mayBeSending(eb: OutboxExpressions, database: Database) {
  return eb.and([eb('failed_at', 'is', null), mayBeInFlight(database)])
}
