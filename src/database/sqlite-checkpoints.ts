import { Worker } from 'node:worker_threads'
import { threadEnv } from '../lib/thread-env.ts'

// SQLite's own default (`wal_autocheckpoint`): 4 MB with pages of 4 KiB.
const MIN_CHECKPOINT_FRAMES = 1000
// A WAL of this length (16 MB) is restarted even if writers have to wait meanwhile.
const MIN_BLOCKING_RESTART_FRAMES = 4000
const CHECKPOINT_DELAY_MS = 100

/**
 * The row of `pragma wal_checkpoint`: `log` frames are in the WAL, and `checkpointed` of them are in the database file.
 */
export interface CheckpointRow {
  busy: number
  log: number
  checkpointed: number
}

export interface Job {
  /** If other writers keep the WAL from being restarted, block them for as long as the restart takes. */
  blocksWriters: boolean
  /** Truncate the WAL file when it is restarted, so that no earlier content is left in it. */
  truncates: boolean
  /** For how long the restart is retried. With 0 it is tried once. */
  busyTimeoutMs: number
}

/** Why a job failed. Undefined after a job without an error, even if a reader has kept the WAL from being restarted. */
export type JobFailure = { message: string; errcode: number | undefined } | undefined

/**
 * Checkpoints a SQLite database in WAL mode on a thread of its own, so that the serving thread calls no fsync and goes
 * on reading meanwhile. Jobs run one at a time. The thread starts with the first job.
 */
export function createCheckpoints(
  file: string,
  {
    countFrames,
    busyTimeoutMs,
    onError,
  }: { countFrames(): CheckpointRow; busyTimeoutMs: number; onError(error: Error): void },
) {
  let worker: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let lastJob: Promise<unknown> = Promise.resolve()
  let nextTruncation: Promise<void> | undefined

  return {
    /**
     * Called after each fsync of the WAL and at each relaxed write. The length of the WAL is checked after a delay,
     * once for all writes within the delay.
     */
    schedule() {
      timer ??= setTimeout(checkpointIfLong, CHECKPOINT_DELAY_MS).unref()
    },
    /**
     * Checkpoints and truncates the WAL, so that deleted content is in no file. Calls made before the job starts share
     * it. While another connection reads the WAL for longer than the busy timeout, old content stays until the next
     * call.
     */
    truncateWal(): Promise<void> {
      nextTruncation ??= enqueue(() => {
        nextTruncation = undefined
        return run({ blocksWriters: true, truncates: true, busyTimeoutMs })
      })
      return nextTruncation
    },
    async stop() {
      clearTimeout(timer)
      await lastJob
      await worker?.terminate()
    },
  }

  async function checkpointIfLong() {
    await enqueue(async () => {
      const { log, checkpointed } = countFrames()
      if (log - checkpointed < MIN_CHECKPOINT_FRAMES) return
      await run({ blocksWriters: log >= MIN_BLOCKING_RESTART_FRAMES, truncates: false, busyTimeoutMs: 0 })
    }).catch(() => {
      // The frames stay in the WAL, and the next checkpoint copies them. `run` has passed the error to `onError`.
    })
    timer = undefined
  }

  function enqueue(job: () => Promise<void>): Promise<void> {
    const result = lastJob.then(job)
    lastJob = result.catch(() => {})
    return result
  }

  async function run(job: Job): Promise<void> {
    worker ??= startThread()
    const failure = await runOnThread(worker, job)
    if (!failure) return
    const error = Object.assign(new Error(failure.message), { errcode: failure.errcode })
    onError(error)
    throw error
  }

  function startThread(): Worker {
    const thread = new Worker(new URL('./sqlite-checkpoint-thread.js', import.meta.url), {
      env: threadEnv(),
      execArgv: [],
      workerData: { file },
    })
    // `runOnThread` rejects the running job with the error. Without a listener the error would end the process.
    thread.on('error', () => {})
    thread.on('exit', () => {
      worker = undefined
    })
    return thread
  }
}

/** The thread is referenced during the job only: an idle thread does not keep the process alive. */
async function runOnThread(thread: Worker, job: Job): Promise<JobFailure> {
  const { promise, resolve, reject } = Promise.withResolvers<JobFailure>()
  const onExit = () => reject(new Error('the checkpoint thread has ended'))
  thread.once('message', resolve).once('error', reject).once('exit', onExit)
  thread.ref()
  thread.postMessage(job)
  try {
    return await promise
  } finally {
    thread.unref()
    thread.off('message', resolve).off('error', reject).off('exit', onExit)
  }
}
