import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { isPreparedStatementMismatch, isQueryTimeout, isReadOnly } from './postgres-errors.ts'
import type { StatementNames } from './postgres-statement-names.ts'

/**
 * The pool for Kysely, with four rules:
 *
 * - After a query timeout, later queries of the same connection fail at once, in particular Kysely's `rollback`. A
 *   server that did not respond to one query would make the caller wait a second time. The connection is destroyed
 *   when it is released, and the server then rolls the transaction back.
 * - A connection to a server that has become read-only is destroyed too. After a failover, a new connection leads to
 *   the new primary.
 * - `begin` is the statement that begins a transaction.
 * - Statements that run often have names, unless `names` is undefined. If the server does not know a name, the
 *   transaction fails, and later ones use no names.
 */
export function toKyselyPool(pool: pg.Pool, begin: string, names: StatementNames | undefined): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      let queryTimeout: unknown
      let isReusable = true
      const query = async (text: string, values: unknown[]) => {
        if (queryTimeout) throw queryTimeout
        // Only a text with values is a single statement for certain.
        const name = values.length > 0 ? names?.ofFrequent(text) : undefined
        const statement = { text: text === 'begin' ? begin : text, values, ...(name !== undefined && { name }) }
        return client.query(statement).catch((error) => {
          if (isQueryTimeout(error)) queryTimeout = error
          if (isQueryTimeout(error) || isReadOnly(error)) isReusable = false
          if (isPreparedStatementMismatch(error)) names?.stop()
          throw error
        })
      }
      const release = (destroy?: boolean) => client.release(destroy || !isReusable)
      return { query, release } as unknown as PostgresPoolClient
    },
    end: () => pool.end(),
  }
}
