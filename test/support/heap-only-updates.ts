import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { tokenPair } from '../../src/sessions/start.ts'
import { refreshed, someone } from './accounts.ts'
import type { Person } from './api.ts'
import { type CleanedUp, cleanUp, temporaryFolder } from './clean-up.ts'
import { createPostgres } from './databases.ts'
import { type Service, startOn } from './service.ts'

const STATISTICS_DEADLINE_MS = 60_000

export interface Updates {
  updates: number
  /** The number of HOT updates, which write no index. */
  heapOnly: number
}

/**
 * A service on a PostgreSQL server of its own, and the statistics of its tables. On a shared server, the connections of
 * other tests have snapshots that keep old row versions from being pruned from their pages. Autovacuum has such
 * snapshots too.
 */
export async function startWithStatistics(t: CleanedUp, settings: Record<string, string> = {}) {
  const server = await createPostgres(['-c', 'autovacuum=off', '-c', 'fsync=off'])
  await server.start()
  cleanUp(t, () => server.stop())
  const DATABASE_URL = `${server.url}/postgres`
  const service = await startOn({ DATA_DIR: await temporaryFolder(t), DATABASE_URL, ...settings })
  let isOpen = true
  cleanUp(t, close)
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  cleanUp(t, () => client.end())
  await client.query('create extension pg_walinspect')

  async function close() {
    if (isOpen) await service.close()
    isOpen = false
  }

  return {
    service,
    /** Stops the service, because a connection reports its statistics when it closes at the latest. Then reads them. */
    async updatesOf(table: string, atLeast: number): Promise<Updates> {
      await close()
      const deadline = Date.now() + STATISTICS_DEADLINE_MS
      for (;;) {
        const { rows } = await client.query<{ updates: string; hot: string }>(
          'select n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables where relname = $1',
          [table],
        )
        const [updates, heapOnly] = [Number(rows[0]?.updates), Number(rows[0]?.hot)]
        if (updates >= atLeast) return { updates, heapOnly }
        if (Date.now() > deadline) throw new Error(`${updates} updates of ${table} instead of ${atLeast}`)
        await setTimeout(100)
      }
    },
    /**
     * Resolves when no snapshot is older than the updates so far. A page is pruned only then. Sessions of a site are
     * updated a second or more apart.
     */
    async untilPrunable(): Promise<void> {
      const older = 'select 1 from pg_stat_activity where backend_xmin is not null and pid <> pg_backend_pid() limit 1'
      while ((await client.query(older)).rowCount !== 0) await setTimeout(5)
    },
    async indexSizes(table: string): Promise<Record<string, number>> {
      const { rows } = await client.query<{ name: string; size: string }>(
        'select indexrelid::regclass::text as name, pg_relation_size(indexrelid) as size from pg_index where indrelid = $1::regclass',
        [table],
      )
      return Object.fromEntries(rows.map(({ name, size }) => [name, Number(size)]))
    },
    async walPosition(): Promise<string> {
      return (await client.query('select pg_current_wal_insert_lsn() as lsn')).rows[0].lsn
    },
    /**
     * Bytes of WAL that this database has written since then, without full-page images: their number depends on the
     * time between two checkpoints. Other databases of the server are left out: a record counts when it names a block
     * of this database, or ends a transaction that has such records.
     */
    async walBytesSince(position: string): Promise<number> {
      // The test server commits asynchronously. A synchronous commit flushes all WAL before it.
      await client.query('set synchronous_commit = on')
      await client.query("select pg_logical_emit_message(true, 'flush', '')")
      const { rows } = await client.query(
        `with records as materialized (
           select xid, record_length - fpi_length as bytes,
             block_ref like '%/' || (select oid from pg_database where datname = current_database()) || '/%' as is_here
           from pg_get_wal_records_info($1, pg_current_wal_flush_lsn())
         )
         select sum(bytes) as bytes from records
         where is_here or xid::text in (select xid::text from records where is_here and xid::text <> '0')`,
        [position],
      )
      return Number(rows[0].bytes)
    },
  }
}

/** One live session among this many others, as in the table of a large site. */
export async function scatteredSessions(service: Service, size: number, oneIn = 20): Promise<Person[]> {
  const { database, tokens } = service.portico
  const owner = await someone(service)
  const { rows } = await sql<{ id: string; refresh_id: string; rotated_at: number; expires_at: number }>`
    insert into sessions (id, user_id, auth_method, browser, os, device, ip_address, client_ip, created_at, last_active_at,
      expires_at, refresh_id, rotated_at)
    select gen_random_uuid(), user_id, auth_method, 'Firefox 140.0', 'Linux', 'Desktop', '203.0.113.7', '203.0.113.7', created_at,
      last_active_at, expires_at, gen_random_uuid(), rotated_at
    from sessions, generate_series(1, ${sql.lit(size * oneIn)}) where user_id = ${owner.userId}
    returning id, refresh_id, rotated_at, expires_at
  `.execute(database.query)
  return rows
    .filter((_row, place) => place % oneIn === 0)
    .map((row) => {
      const session = {
        userId: owner.userId,
        sessionId: row.id,
        refreshId: row.refresh_id,
        rotatedAt: row.rotated_at,
        expiresAt: row.expires_at,
        authenticatedAt: row.rotated_at,
        methods: ['pwd' as const],
        role: 'member' as const,
      }
      return { ...owner, sessionId: row.id, ...tokenPair(tokens, session) }
    })
}

/** Refreshes each of these sessions this many times, all sessions concurrently. */
export async function refreshAll(service: Service, people: Person[], rounds: number): Promise<Person[]> {
  let current = people
  for (let round = 0; round < rounds; round++) {
    current = await Promise.all(current.map((person) => refreshed(service, person)))
  }
  return current
}
