import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type Tables, USER_COLUMNS } from '../database/tables.ts'
import { COMMAND_LINE, recordAction } from '../events/owner-actions.ts'
import { csvText } from './csv.ts'
import { CSV_COLUMNS, cellsOf } from './csv-record.ts'
import { recordOf } from './person-record.ts'
import type { PersonRecord } from './record.ts'

const PAGE_PEOPLE = 500

export interface ExportOptions {
  format: 'ndjson' | 'csv'
  withoutHashes: boolean
  /** Called after each page. */
  onProgress(written: number): void
}

/**
 * Passes everybody to `write`, in the order of the bytes of their addresses, as they were at one moment. Returns their
 * number. The audit log gets the export before its first line is written.
 */
export async function exportPeople(
  database: Database,
  write: (text: string) => Promise<void>,
  { format, withoutHashes, onProgress }: ExportOptions,
): Promise<number> {
  const details = { format, withoutHashes }
  await database.transaction((tx) =>
    recordAction(tx, database.now, COMMAND_LINE, { action: 'people.exported', details }),
  )
  const encode = format === 'csv' ? (record: PersonRecord) => csvText(cellsOf({ ...record })) : jsonLine
  if (format === 'csv') await write(csvText(CSV_COLUMNS))
  let written = 0
  await atOneMoment(database, async (connection) => {
    for await (const page of pages(database, connection)) {
      const records = withoutHashes ? page.map(({ passwordHash: _hash, ...record }) => record) : page
      await write(records.map(encode).join(''))
      written += page.length
      onProgress(written)
    }
  })
  return written
}

function jsonLine(record: PersonRecord): string {
  return `${JSON.stringify(record)}\n`
}

/**
 * Runs the work in a transaction that reads one snapshot. Writers go on: SQLite in WAL mode begins a transaction as a
 * reader (https://www.sqlite.org/isolation.html), and PostgreSQL has `repeatable read`.
 */
async function atOneMoment(database: Database, work: (connection: Kysely<Tables>) => Promise<void>): Promise<void> {
  await database.query.connection().execute(async (connection) => {
    if (database.name === 'sqlite') await sql`begin`.execute(connection)
    else {
      await sql`begin isolation level repeatable read, read only`.execute(connection)
      // The reader of a pipe may pause.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(connection)
    }
    try {
      await work(connection)
    } finally {
      await sql`rollback`.execute(connection)
    }
  })
}

/** All people, by keyset pagination over the index of the search by address. */
async function* pages({ name, isAmong }: Database, query: Kysely<Tables>): AsyncGenerator<PersonRecord[]> {
  const email = name === 'postgres' ? sql<string>`(email) collate "C"` : sql<string>`email`
  let after = ''
  for (;;) {
    const users = await query
      .selectFrom('users')
      .select(USER_COLUMNS)
      .where(sql<boolean>`${email} > ${after}`)
      .orderBy(email)
      .limit(PAGE_PEOPLE)
      .execute()
    const last = users.at(-1)
    if (!last) return
    after = last.email
    const ids = sql<string>`${JSON.stringify(users.map(({ id }) => id))}`
    const linked = await query.selectFrom('linked_accounts').selectAll().where(isAmong('user_id', ids)).execute()
    const unlinked = await query.selectFrom('unlinked_identities').selectAll().where(isAmong('user_id', ids)).execute()
    const [linkedOf, unlinkedOf] = [byPerson(linked), byPerson(unlinked)]
    yield users.map((user) => recordOf(user, linkedOf(user.id), unlinkedOf(user.id)))
  }
}

/** The rows of each person, in an order that both engines have. */
function byPerson<Row extends { user_id: string; provider: string; issuer: string; subject: string }>(rows: Row[]) {
  const keyOf = ({ provider, issuer, subject }: Row) => JSON.stringify([provider, issuer, subject])
  const sorted = rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  const groups = Map.groupBy(sorted, ({ user_id }) => user_id)
  return (id: string) => groups.get(id) ?? []
}
