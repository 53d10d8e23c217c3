// How a write becomes durable:
//
// 1. Statement. `query` runs it on the connection `writer`. A mutex gives the connection to one statement or
//    transaction at a time (sqlite-dialect.ts). While another connection has the write lock, the statement is retried
//    with backoff and jitter until the busy timeout (sqlite-busy.ts).
// 2. WAL. The commit appends its frames to the WAL file. With `synchronous = normal` it calls no fsync.
// 3. Group commit. The driver releases the mutex and waits for an fdatasync of the WAL that starts after the commit.
//    The fdatasync runs on a thread of libuv's pool. Commits that wait at the same time share one
//    (sqlite-group-commit.ts).
// 4. Response. The promise of the statement or transaction resolves, and the operation goes on to its response.
//
// Checkpoints copy the WAL into the database file later, on a thread of their own (sqlite-checkpoints.ts). So the
// serving thread calls no fsync after the start, unless a checkpoint job failed between its copy and its commit: then
// the next commit restarts the WAL. SQLite checkpoints once more on it when `close` closes the last connection
// (https://www.sqlite.org/wal.html).
//
// A write with `relaxedDurability` runs on `preparedConnection`, without the mutex of step 1 and without step 3.
import { closeSync, fdatasync, fstatSync, openSync, realpathSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, SelectQueryNode, sql } from 'kysely'
import type { Engine } from './engine.ts'
import { migrate } from './migrate.ts'
import { type DatabaseObserver, observed, statementLog } from './observed.ts'
import { backOffWithJitter, retryWhileBusy } from './sqlite-busy.ts'
import { type CheckpointRow, createCheckpoints } from './sqlite-checkpoints.ts'
import { NodeSqliteDialect } from './sqlite-dialect.ts'
import { isFailedFsync, isUnavailable, isUniqueViolation } from './sqlite-errors.ts'
import { createPrivateFile } from './sqlite-file.ts'
import { createGroupCommit } from './sqlite-group-commit.ts'
import { createStatementRunner } from './sqlite-statement.ts'
import type { Tables } from './tables.ts'

/** The time in milliseconds. */
export const SQLITE_NOW = sql<number>`cast(round(unixepoch('subsec') * 1000) as integer)`
// At the start, another process may be migrating the same file.
const STARTUP_BUSY_TIMEOUT_MS = 30_000

export async function openSqlite(
  file: string,
  busyTimeoutMs: number,
  { migrates = true, observer }: { migrates?: boolean; observer?: DatabaseObserver | undefined } = {},
): Promise<Engine> {
  createPrivateFile(file)
  let walDescriptor: number | undefined
  const groupCommit = createGroupCommit(syncWal)
  // The connection for prepared statements that run synchronously, each as a transaction of its own:
  // - Selects. In WAL mode a reader sees the last commit and never waits for a writer
  //   (https://www.sqlite.org/wal.html#concurrency).
  // - Writes that a power cut may undo: rate-limit counters and `last_active_at`. Their frames are in the same WAL, and
  //   an fdatasync covers the whole WAL, so durable writes after them stay durable.
  // Both share a connection because SQLite drops the page cache of a connection when another one has committed.
  const preparedConnection = await connect(file)
  const checkpoints = createCheckpoints(file, {
    // `noop` copies no frames (SQLite 3.51.0 and later, https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
    countFrames: () => preparedConnection.prepare('pragma wal_checkpoint(noop)').get() as unknown as CheckpointRow,
    busyTimeoutMs,
    onError: (error) => isFailedFsync(error) && groupCommit.fail(error),
  })
  const writer = await connect(file)
  let isStarting = true
  const query = new Kysely<Tables>({
    dialect: new NodeSqliteDialect(writer, () => (isStarting ? STARTUP_BUSY_TIMEOUT_MS : busyTimeoutMs), groupCommit),
    ...statementLog(observer),
  })
  await truncateWalAtStart()
  // No lock beside the transaction: `begin immediate` locks the whole file.
  if (migrates) await migrate(query, async () => {})
  isStarting = false

  return {
    name: 'sqlite',
    query,
    now: SQLITE_NOW,
    isAmong: (column, texts) => sql`${sql.ref(column)} in (select value from json_each(${texts}))`,
    jsonEntries: (object) => sql`json_each(${object})`,
    prepare(compiled, { relaxedDurability } = {}) {
      const runSynchronously = () =>
        observed(createStatementRunner(preparedConnection, compiled.sql, busyTimeoutMs), compiled.query, observer)
      if (SelectQueryNode.is(compiled.query)) return runSynchronously()
      if (relaxedDurability?.includes('sqlite')) {
        const run = runSynchronously()
        return (values) => {
          checkpoints.schedule()
          return run(values)
        }
      }
      return async (values) => (await query.executeQuery({ ...compiled, parameters: values })).rows
    },
    isWritable: sql`true`,
    isUniqueViolation,
    isUnavailable,
    throwIfFsyncFailed: groupCommit.throwIfFailed,
    eraseDeletedContent: checkpoints.truncateWal,
    async close() {
      // Waits for the fsync of every commit made so far.
      await groupCommit.waitForFsync().catch(() => {})
      await checkpoints.stop()
      preparedConnection.close()
      await query.destroy()
      // Another file may get the descriptor once it is closed.
      await groupCommit.untilIdle()
      if (walDescriptor !== undefined) closeSync(walDescriptor)
    },
  }

  /** Step 3. The fdatasync runs on a thread of libuv's pool, so the serving thread goes on meanwhile. */
  async function syncWal() {
    // SQLite resolves symbolic links and puts the WAL beside the real file.
    walDescriptor ??= openSync(`${realpathSync(file)}-wal`, 'r+')
    const startedAt = performance.now()
    await syncData(walDescriptor)
    observer?.synced(performance.now() - startedAt)
    // Writes and fsyncs of a deleted file succeed. fstat reads the inode from memory, which takes less time than a
    // round trip to another thread.
    if (fstatSync(walDescriptor).nlink === 0) throw new Error(`${file}-wal was deleted while the service runs`)
    checkpoints.schedule()
  }

  /**
   * Copies the WAL into the database file before anything is appended to the WAL. After a failed fsync of an earlier
   * process, frames may exist in the page cache only. This checkpoint writes their pages to the database file and
   * fsyncs that.
   *
   * SQLite reports busy while another process reads the WAL. At the deadline the start goes on without the checkpoint.
   */
  async function truncateWalAtStart() {
    const deadlineMs = performance.now() + busyTimeoutMs
    const checkpoint = sql<{ busy: number }>`pragma wal_checkpoint(truncate)`
    while ((await checkpoint.execute(query)).rows[0]?.busy && performance.now() < deadlineMs) await backOffWithJitter()
    // The first commit into an empty WAL writes its header and calls fsync on this thread. So this commit is made now,
    // before there are requests.
    await sql`pragma user_version = 0`.execute(query)
  }
}

/** A `FileHandle` would do the same, but that of yarn, which replaces `node:fs` (Plug'n'Play), has no `datasync`. */
function syncData(descriptor: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  fdatasync(descriptor, (error) => (error ? reject(error) : resolve()))
  return promise
}

async function connect(file: string): Promise<DatabaseSync> {
  const connection = new DatabaseSync(file)
  // From https://www.sqlite.org/pragma.html:
  // - synchronous = normal: SQLite calls fsync around a checkpoint, not in each commit. A power cut cannot corrupt the
  //   database, but it can undo commits that the group commit has not yet synced.
  // - secure_delete: deleted content is overwritten with zeros.
  // - cache_size: the page cache of this connection grows up to 8 MiB.
  // - wal_autocheckpoint = 0: commits do not checkpoint. The checkpoint thread does.
  const settings = `
    pragma synchronous = normal;
    pragma foreign_keys = on;
    pragma secure_delete = on;
    pragma cache_size = -8192;
    pragma wal_autocheckpoint = 0;
    pragma journal_mode = wal;
  `
  // `journal_mode = wal` needs an exclusive lock on a new file, which another process may have.
  await retryWhileBusy(() => connection.exec(settings), performance.now() + STARTUP_BUSY_TIMEOUT_MS)
  return connection
}
