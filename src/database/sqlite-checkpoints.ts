import { Worker } from 'node:worker_threads'

// SQLite's own default: 4 MB of pages.
const CHECKPOINT_FRAMES = 1000
// Below this size the WAL is restarted only when no writer has to wait for it.
const RESTART_FRAMES = 4000
const LOOK_AFTER_MS = 100

/** A row of `pragma wal_checkpoint`: how many frames the WAL has, and how many of them are in the database file. */
export interface Checkpoint {
  busy: number
  log: number
  checkpointed: number
}

export interface Job {
  /** Whether writers are held when the WAL cannot be restarted otherwise. */
  mustRestart: boolean
  /** Whether the WAL file is cut to its new length, so that nothing of its old content is left. */
  truncates: boolean
  /** How long it is tried again. */
  busyTimeoutMs: number
}

export type JobResult = { hasRestarted: boolean } | { message: string; errcode: number | undefined }

/**
 * Checkpoints a SQLite database in WAL mode on a thread of its own: every fsync of a checkpoint happens there, and the thread
 * that serves requests goes on reading. The thread is started when it is first needed.
 */
export function createCheckpoints(
  file: string,
  {
    countFrames,
    busyTimeoutMs,
    onError,
  }: { countFrames(): Checkpoint; busyTimeoutMs: number; onError(error: Error): void },
) {
  let worker: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> = Promise.resolve()
  let nextEmptying: Promise<void> | undefined

  return {
    /** Says that the WAL may have grown. */
    noteWrite() {
      timer ??= setTimeout(checkpointIfLong, LOOK_AFTER_MS).unref()
    },
    /** Leaves no old content in the WAL. If others read it for too long, the next call does so. Calls share one job. */
    empty(): Promise<void> {
      nextEmptying ??= enqueue(() => {
        nextEmptying = undefined
        return run({ mustRestart: true, truncates: true, busyTimeoutMs })
      })
      return nextEmptying
    },
    async stop() {
      clearTimeout(timer)
      await running
      await worker?.terminate()
    },
  }

  async function checkpointIfLong() {
    await enqueue(async () => {
      const { log, checkpointed } = countFrames()
      if (log - checkpointed < CHECKPOINT_FRAMES) return
      await run({ mustRestart: log >= RESTART_FRAMES, truncates: false, busyTimeoutMs: 0 })
    }).catch(() => {
      // The WAL keeps its content, and the next checkpoint copies it.
    })
    timer = undefined
  }

  function enqueue(job: () => Promise<void>): Promise<void> {
    const result = running.then(job)
    running = result.catch(() => {})
    return result
  }

  async function run(job: Job): Promise<void> {
    worker ??= start()
    const result = await answerOf(worker, job)
    if ('hasRestarted' in result) return
    const error = Object.assign(new Error(result.message), { errcode: result.errcode })
    onError(error)
    throw error
  }

  function start(): Worker {
    const thread = new Worker(new URL('./sqlite-checkpoint-thread.js', import.meta.url), {
      execArgv: [],
      workerData: { file },
    })
    // The job under way is rejected with the error.
    thread.on('error', () => {})
    thread.on('exit', () => {
      worker = undefined
    })
    return thread
  }
}

/** Only a job under way keeps the process alive. */
async function answerOf(thread: Worker, job: Job): Promise<JobResult> {
  const { promise, resolve, reject } = Promise.withResolvers<JobResult>()
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
