import { sql } from 'kysely'
import type { Service } from './service.ts'

/** Everything in every table, once the mail is out and wrong passwords are recorded. The times of last activity are left out: using a session moves them. */
export async function everythingStored({ portico: { database, deliveryWorker, failedPasswords } }: Service) {
  await failedPasswords.idle()
  await deliveryWorker.idle()
  const tables = await database.query.introspection.getTables()
  const contents = tables.map(async ({ name }) => {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(database.query)
    return [name, rows.map(({ last_active_at: _, ...row }) => JSON.stringify(row)).sort()] as const
  })
  return Object.fromEntries(await Promise.all(contents))
}

/** How many rows of each table name a person. */
export async function rowsNaming(
  { portico: { database, deliveryWorker } }: Service,
  person: { userId: string; email: string },
) {
  await deliveryWorker.idle()
  const count = async (table: 'users' | 'outbox' | (typeof OWNED)[number], column: string, value: string) => {
    const { rows } = await sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${value}`.execute(
      database.query,
    )
    return [table, rows.length] as const
  }
  return Object.fromEntries(
    await Promise.all([
      count('users', 'id', person.userId),
      count('outbox', 'recipient', person.email),
      ...OWNED.map((table) => count(table, 'user_id', person.userId)),
    ]),
  )
}

const OWNED = ['sessions', 'known_devices', 'codes', 'security_events'] as const

/** The tables, whichever there are, with a row that contains one of the texts. */
export async function tablesNaming(service: Service, ...texts: string[]): Promise<string[]> {
  const tables = Object.entries(await everythingStored(service))
  const isNaming = (row: string) => texts.some((text) => row.includes(text))
  return tables.flatMap(([name, rows]) => (rows.some(isNaming) ? [name] : [])).sort()
}
