import type { Worker } from 'node:worker_threads'

const CHECK_INTERVAL_MS = 100

/**
 * The signal is aborted when the thread has used `limitMs` of CPU time since the first check, which is an interval
 * after the call. Time in which the thread waits for a core does not count, so a busy machine rejects no work that an
 * idle one would finish. Disposing ends the checks.
 */
export function threadCpuLimit(worker: Worker, limitMs: number): { signal: AbortSignal } & Disposable {
  const limit = new AbortController()
  let first: number | undefined
  const timer = setInterval(async () => {
    const usedMs = await cpuMsOf(worker)
    first ??= usedMs
    if (usedMs - first > limitMs) limit.abort()
  }, CHECK_INTERVAL_MS).unref()
  return { signal: limit.signal, [Symbol.dispose]: () => clearInterval(timer) }
}

/** `cpuUsage` resolves during a long computation of the thread too. A thread that does not run has used no CPU time. */
async function cpuMsOf(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1000
  } catch {
    return 0
  }
}
