import pg from 'pg'
import { getTypeParser } from '../database/postgres.ts'
import { batchSizeOf, READ_MIGRATIONS, type Source, selectAll } from './source.ts'

/**
 * Reads all tables in one transaction. With `repeatable read` all its statements see the same snapshot
 * (https://www.postgresql.org/docs/current/transaction-iso.html#XACT-REPEATABLE-READ). Writers go on.
 */
export async function openPostgresSource(url: string): Promise<Source> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser } })
  // If the connection breaks, the statement under way rejects. Without a listener the error would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read, read only')
    // A role may have timeouts for the statements of the service.
    await client.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
    const { rows: found } = await client.query("select to_regclass('kysely_migration') is not null as exists")
    const { rows } = found[0].exists ? await client.query<{ name: string }>(READ_MIGRATIONS) : { rows: [] }
    return {
      engine: 'postgres',
      migrations: rows.map(({ name }) => name),
      async *rowsOf(table) {
        const fetch = { text: `fetch ${batchSizeOf(table)} from rows_of_table`, rowMode: 'array' }
        await client.query(`declare rows_of_table no scroll cursor for ${selectAll(table)}`)
        for (;;) {
          const { rows: batch } = await client.query(fetch)
          if (batch.length === 0) break
          yield batch
        }
        await client.query('close rows_of_table')
      },
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}
