import { setTimeout as pause } from 'node:timers/promises'

// Editors save in several steps, so a rebuild waits until none was requested for DEBOUNCE_MS, and at most
// MAX_DEBOUNCE_MS.
const DEBOUNCE_MS = 30
const MAX_DEBOUNCE_MS = 500

/**
 * Runs one rebuild at a time: after a request, and after the time that the last rebuild resolved to. A request during a
 * rebuild starts another one after it. The schedule is created in the state of a running rebuild: none starts before
 * the first call of `waitForNext`, which the publisher makes after the first publication.
 */
export function createRebuildSchedule(rebuild: () => Promise<number>, { debounces }: { debounces: boolean }) {
  let isEnded = false
  /** Whether a rebuild was requested that has not begun. */
  let isRequested = false
  let running: Promise<void> | undefined = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  function request(): void {
    if (isEnded) return
    isRequested = true
    running ??= run()
  }

  async function run(): Promise<void> {
    clearTimeout(timer)
    await debounce()
    waitForNext(await rebuild())
  }

  async function debounce(): Promise<void> {
    const deadline = performance.now() + MAX_DEBOUNCE_MS
    do {
      isRequested = false
      if (debounces) await pause(DEBOUNCE_MS)
    } while (isRequested && performance.now() < deadline)
    isRequested = false
  }

  /** Waits for the next request, or for this time. */
  function waitForNext(waitMs: number): void {
    timer = setTimeout(request, waitMs).unref()
    // Reset in the same iteration of the event loop as the check of `isRequested`: a later request starts a rebuild of
    // its own, and a client waits for one rebuild at most.
    running = undefined
    if (isRequested) request()
  }

  return {
    request,
    waitForNext,
    running: () => running,
    end(): void {
      isEnded = true
      clearTimeout(timer)
    },
  }
}
