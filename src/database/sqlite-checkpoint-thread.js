// @ts-check
// The thread of `sqlite-checkpoints.ts`. In plain JavaScript, so that the thread need not load what strips types.
//
// A checkpoint needs an fsync of the WAL and one of the database file. A third one, of the new WAL header, is part of the
// first commit after all frames were copied, because that commit restarts the WAL. This thread makes that commit too. No
// other connection can be first: the WAL is not restarted while a reader uses it (https://www.sqlite.org/walformat.html,
// "WAL Reset"), and the connection `guard` is such a reader while this thread copies frames.
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const BUSY_TIMEOUT_MS = 1000
const RETRY_MS = 5

const [guard, copier, writer] = [open(), open(), open()]

function open() {
  const connection = new DatabaseSync(workerData.file, { timeout: BUSY_TIMEOUT_MS })
  connection.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma secure_delete = on')
  return connection
}

parentPort?.on('message', async (job) => parentPort?.postMessage(await answerTo(job)))

/**
 * @param {import('./sqlite-checkpoints.ts').Job} job
 * @returns {Promise<import('./sqlite-checkpoints.ts').JobResult>}
 */
async function answerTo({ mustRestart, truncates, busyTimeoutMs }) {
  const deadlineMs = performance.now() + busyTimeoutMs
  try {
    writer.exec(`pragma journal_size_limit = ${truncates ? 0 : -1}`)
    for (;;) {
      if (restart(false) || (mustRestart && restart(true))) return { hasRestarted: true }
      if (performance.now() >= deadlineMs) return { hasRestarted: false }
      await setTimeout(RETRY_MS)
    }
  } catch (error) {
    const { message, errcode } = /** @type {Error & { errcode?: number }} */ (error)
    return { message, errcode }
  } finally {
    for (const connection of [guard, writer]) if (connection.isTransaction) connection.exec('rollback')
  }
}

/**
 * Copies the WAL into the database file and restarts the WAL, unless another connection adds a frame meanwhile. With
 * `holdsWriters` none can: they wait while the last frames are copied.
 *
 * @param {boolean} holdsWriters
 */
function restart(holdsWriters) {
  enterLog(guard)
  let result = checkpoint()
  if (holdsWriters) {
    writer.exec('begin immediate')
    result = checkpoint()
    if (!isComplete(result)) {
      guard.exec('rollback')
      enterLog(guard)
      result = checkpoint()
    }
    writer.exec('rollback')
  }
  // A transaction restarts the WAL only if all frames were in the database file when it began.
  writer.exec('begin immediate')
  guard.exec('rollback')
  writer.exec('pragma user_version = 0; commit')
  return countFrames().log <= result.log
}

/** @param {DatabaseSync} connection */
function enterLog(connection) {
  connection.exec('begin; select count(*) from sqlite_schema')
}

/** @returns {Checkpoint} */
function checkpoint() {
  return /** @type {any} */ (copier.prepare('pragma wal_checkpoint(passive)').get())
}

/** @returns {Checkpoint} */
function countFrames() {
  return /** @type {any} */ (copier.prepare('pragma wal_checkpoint(noop)').get())
}

/**
 * @typedef {import('./sqlite-checkpoints.ts').Checkpoint} Checkpoint
 * @param {Checkpoint} result
 */
function isComplete({ busy, log, checkpointed }) {
  return !busy && log === checkpointed
}
