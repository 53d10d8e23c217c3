import { setInterval } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'

const CHECK_INTERVAL_MS = 100

/**
 * The signal is aborted when the thread has used `limitMs` of CPU time since the call. Time in which the thread waits for
 * a core does not count, so a busy machine rejects no work that an idle one would finish. Disposing ends the checks.
 */
export function threadCpuLimit(worker: Worker, limitMs: number): { signal: AbortSignal } & Disposable {
  const limit = new AbortController()
  const checks = new AbortController()
  const before = cpuMsOf(worker)

  async function check(): Promise<void> {
    for await (const _ of setInterval(CHECK_INTERVAL_MS, undefined, { ref: false, signal: checks.signal }))
      if ((await cpuMsOf(worker)) - (await before) > limitMs) return limit.abort()
  }

  // Rejects when the checks are ended.
  check().catch(() => {})
  return { signal: limit.signal, [Symbol.dispose]: () => checks.abort() }
}

/** The thread answers during a long computation too. A thread that does not run has used no CPU time. */
async function cpuMsOf(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1000
  } catch {
    return 0
  }
}
