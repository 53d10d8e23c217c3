// @ts-check
// The thread of `sqlite-checkpoints.ts`. It is plain JavaScript, so that the thread does not load Node's type
// stripping.
//
// A job copies all frames of the WAL into the database file (a checkpoint) and then restarts the WAL from its
// beginning. SQLite calls fsync three times for that: on the WAL before the copy, on the database file after it, and on
// the WAL again for its new header. The last one is part of the first commit after the checkpoint, because that commit
// restarts the WAL (https://www.sqlite.org/fileformat2.html#walreset). This thread makes that commit itself, so that no
// request waits for it.
//
// Between the copy and that commit, a commit of another connection must not restart the WAL. A connection in a read
// transaction on the WAL prevents a restart, and `restartBlocker` is such a connection.
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

// Statements of this thread may block: SQLite's own busy handler is used here.
const BUSY_TIMEOUT_MS = 1000
const RETRY_DELAY_MS = 5

const [restartBlocker, checkpointer, writer] = [connect(), connect(), connect()]

function connect() {
  const connection = new DatabaseSync(workerData.file, { timeout: BUSY_TIMEOUT_MS })
  connection.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma secure_delete = on')
  return connection
}

parentPort?.on('message', async (job) => parentPort?.postMessage(await runJob(job)))

/**
 * @param {import('./sqlite-checkpoints.ts').Job} job
 * @returns {Promise<import('./sqlite-checkpoints.ts').JobFailure>}
 */
async function runJob({ blocksWriters, truncates, busyTimeoutMs }) {
  const deadlineMs = performance.now() + busyTimeoutMs
  try {
    // With 0, the commit that restarts the WAL truncates the file
    // (https://www.sqlite.org/pragma.html#pragma_journal_size_limit).
    writer.exec(`pragma journal_size_limit = ${truncates ? 0 : -1}`)
    while (!tryRestart(false) && !(blocksWriters && tryRestart(true))) {
      if (performance.now() >= deadlineMs) return undefined
      await setTimeout(RETRY_DELAY_MS)
    }
    return undefined
  } catch (error) {
    const { message, errcode } = /** @type {Error & { errcode?: number }} */ (error)
    return { message, errcode }
  } finally {
    for (const connection of [restartBlocker, writer]) if (connection.isTransaction) connection.exec('rollback')
  }
}

/**
 * Copies the WAL into the database file and restarts the WAL. Returns false if the WAL was not restarted, because
 * another connection has appended a frame meanwhile or reads an older snapshot. With `blocksWriters` this thread has
 * the write lock during the second copy, so that no frame is appended to what it copies.
 *
 * @param {boolean} blocksWriters
 */
function tryRestart(blocksWriters) {
  beginRead(restartBlocker)
  let result = checkpoint()
  if (blocksWriters) {
    writer.exec('begin immediate')
    result = checkpoint()
    if (!isComplete(result)) {
      // A checkpoint stops at the snapshot of the oldest reader. So the read transaction is renewed at the newest
      // snapshot.
      restartBlocker.exec('rollback')
      beginRead(restartBlocker)
      result = checkpoint()
    }
    writer.exec('rollback')
  }
  // A transaction restarts the WAL only if all frames were in the database file when it began. So a new one begins
  // here.
  writer.exec('begin immediate')
  restartBlocker.exec('rollback')
  writer.exec('pragma user_version = 0; commit')
  return countFrames().log <= result.log
}

/**
 * `begin` alone takes no lock: the read transaction starts with the first read.
 *
 * @param {DatabaseSync} connection
 */
function beginRead(connection) {
  connection.exec('begin; select count(*) from sqlite_schema')
}

/** @returns {CheckpointRow} */
function checkpoint() {
  return /** @type {any} */ (checkpointer.prepare('pragma wal_checkpoint(passive)').get())
}

/**
 * `noop` copies no frames (SQLite 3.51.0 and later, https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
 *
 * @returns {CheckpointRow}
 */
function countFrames() {
  return /** @type {any} */ (checkpointer.prepare('pragma wal_checkpoint(noop)').get())
}

/**
 * @typedef {import('./sqlite-checkpoints.ts').CheckpointRow} CheckpointRow
 * @param {CheckpointRow} result
 */
function isComplete({ busy, log, checkpointed }) {
  return !busy && log === checkpointed
}
