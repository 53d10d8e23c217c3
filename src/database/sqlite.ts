import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, SelectQueryNode, sql } from 'kysely'
import type { Engine } from './engine.ts'
import { migrate } from './migrate.ts'
import { backOffWithJitter, Mutex, retryWhileBusy } from './sqlite-busy.ts'
import { type Checkpoint, createCheckpoints } from './sqlite-checkpoints.ts'
import { type BusyTimeout, NodeSqliteDialect } from './sqlite-dialect.ts'
import { isBusy, isFailedFsync, isUnavailable, isUniqueViolation } from './sqlite-errors.ts'
import { createGroupCommit } from './sqlite-group-commit.ts'
import { createRowReader } from './sqlite-rows.ts'
import type { Tables } from './tables.ts'

// When starting, another instance may be migrating. Later nobody holds the file for long, and whoever asks is waiting.
const STARTUP_BUSY_TIMEOUT_MS = 30_000
const BUSY_TIMEOUT_MS = 1500

export async function openSqlite(file: string): Promise<Engine> {
  // The file holds password hashes and signing keys: nobody else's business. SQLite gives its side files the same mode.
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const busyTimeout: BusyTimeout = { milliseconds: STARTUP_BUSY_TIMEOUT_MS }
  // Commits do not flush, which would stop the whole process for as long as the disk takes. Another thread does, and whoever
  // has written waits for it. In this mode nothing but the log has to be on the disk for a commit to last.
  let wal: FileHandle | undefined
  const groupCommit = createGroupCommit(async () => {
    // SQLite follows links, and has its log where they lead.
    wal ??= await open(`${realpathSync(file)}-wal`, 'r+')
    await wal.datasync()
    // SQLite goes on writing to files that were deleted. The kernel answers from memory, in less time than another thread takes.
    if (fstatSync(wal.fd).nlink === 0) throw new Error(`${file}-wal was deleted while the service runs`)
    checkpoints.noteWrite()
  })
  // Reads go over a connection of their own: they see only what is committed, and never wait for a writer.
  const reader = await connect(file)
  const checkpoints = createCheckpoints(file, {
    countFrames: () => reader.prepare('pragma wal_checkpoint(noop)').get() as unknown as Checkpoint,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    onError: (error) => isFailedFsync(error) && groupCommit.fail(error),
  })
  const query = new Kysely<Tables>({ dialect: new NodeSqliteDialect(await connect(file), busyTimeout, groupCommit) })
  // A transaction locks the whole file from its beginning.
  await migrate(query, async () => {})
  busyTimeout.milliseconds = BUSY_TIMEOUT_MS
  // What a process whose disk failed has left in the log is written anew, before anything is added to it.
  await truncateWal()
  // For what nobody waits for. Whoever waits for the disk does so for everything before, so their own writes are no less safe.
  const relaxedWriter = await connect(file)

  return {
    name: 'sqlite',
    query,
    now: sql<number>`cast(round(unixepoch('subsec') * 1000) as integer)`,
    isAmong: (column, texts) => sql`${sql.ref(column)} in (select value from json_each(${texts}))`,
    jsonEntries: (object) => sql`json_each(${object})`,
    prepare(compiled, { hasRelaxedDurability = false } = {}) {
      if (SelectQueryNode.is(compiled.query)) return createStatementRunner(reader, compiled.sql)
      if (hasRelaxedDurability) {
        const run = createStatementRunner(relaxedWriter, compiled.sql)
        return (values) => {
          checkpoints.noteWrite()
          return run(values)
        }
      }
      return async (values) => (await query.executeQuery({ ...compiled, parameters: values })).rows
    },
    isWritable: sql`true`,
    isUniqueViolation,
    isUnavailable,
    checkDisk: groupCommit.check,
    scrub: checkpoints.empty,
    async close() {
      // Whoever still waits for it has written.
      await groupCommit().catch(() => {})
      await checkpoints.stop()
      reader.close()
      relaxedWriter.close()
      await query.destroy()
      await wal?.close()
    },
  }

  /** A process that reads keeps the log from being emptied; if it does not end in time, the next one does it. */
  async function truncateWal() {
    const deadlineMs = performance.now() + BUSY_TIMEOUT_MS
    const checkpoint = sql<{ busy: number }>`pragma wal_checkpoint(truncate)`
    while ((await checkpoint.execute(query)).rows[0]?.busy && performance.now() < deadlineMs) await backOffWithJitter()
    // The first commit in an empty WAL waits for an fsync of the new header. Later ones do not wait for any.
    await sql`pragma user_version = 0`.execute(query)
  }
}

/** At once, unless another process holds the file. Then one of those who wait tries, and the others stand in line. */
function createStatementRunner(connection: DatabaseSync, text: string) {
  let read: ReturnType<typeof createRowReader> | undefined
  const mutex = new Mutex()

  function run(values: unknown[]) {
    read ??= createRowReader(connection.prepare(text))
    return read(values)
  }

  async function runQueued(values: unknown[]) {
    const deadlineMs = performance.now() + BUSY_TIMEOUT_MS
    const release = await mutex.acquire()
    try {
      return await retryWhileBusy(() => run(values), deadlineMs)
    } finally {
      release()
    }
  }

  return (values: unknown[]) => {
    if (!mutex.isFree) return runQueued(values)
    try {
      return run(values)
    } catch (error) {
      if (!isBusy(error)) throw error
      return runQueued(values)
    }
  }
}

async function connect(file: string): Promise<DatabaseSync> {
  const database = new DatabaseSync(file)
  // NORMAL: the log is flushed before it is copied into the file, which a power cut then cannot harm, and when we say so.
  // secure_delete: what is deleted is overwritten. cache_size: up to 8 MiB of pages, taken when they are needed, so that
  // those of a large database which are asked for often are at hand. wal_autocheckpoint: checkpoints have their own thread.
  const settings = `
    pragma synchronous = normal;
    pragma foreign_keys = on;
    pragma secure_delete = on;
    pragma cache_size = -8192;
    pragma wal_autocheckpoint = 0;
    pragma journal_mode = wal;
  `
  // Two processes that open a new file together race for the last of them.
  await retryWhileBusy(() => database.exec(settings), performance.now() + STARTUP_BUSY_TIMEOUT_MS)
  return database
}
