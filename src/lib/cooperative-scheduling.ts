import { setTimeout as pause, setImmediate } from 'node:timers/promises'

// The length of a step of background work. A request that arrives during a step waits until its end.
const STEP_MS = 2
// Background work continues after this time, also while clients wait.
const MAX_PAUSE_MS = 20

// The rest after each step while `runSlowly` is in use.
const REST_MS = 5

let waitingClients = 0
let slowWorks = 0
let untilNoneWaits = Promise.withResolvers<void>()

/**
 * Runs work that a client waits for and that needs several iterations of the event loop. Background work pauses
 * meanwhile. Otherwise each of these iterations would include a step of background work.
 */
export async function runWithPriority<T>(work: () => Promise<T>): Promise<T> {
  waitingClients += 1
  try {
    return await work()
  } finally {
    waitingClients -= 1
    if (waitingClients === 0) {
      untilNoneWaits.resolve()
      untilNoneWaits = Promise.withResolvers()
    }
  }
}

/**
 * Runs background work that nothing waits for, with a rest after each step. V8 collects no young objects while it marks
 * the old ones, for about 300 ms in a heap of 120 MB. At the end, requests wait while it moves all young objects that
 * are in use. Fewer of them are made in this time if the work is slow. While the work runs, all background work of this
 * process rests after its steps.
 */
export async function runSlowly<T>(work: () => Promise<T>): Promise<T> {
  slowWorks += 1
  try {
    return await work()
  } finally {
    slowWorks -= 1
  }
}

/**
 * Background work awaits this between its steps: pending requests are handled first. Rejects on abort of the signal.
 */
export async function yieldToRequests(signal?: AbortSignal): Promise<void> {
  await (slowWorks > 0 ? pause(REST_MS) : setImmediate())
  if (waitingClients > 0) await Promise.race([untilNoneWaits.promise, pause(MAX_PAUSE_MS)])
  signal?.throwIfAborted()
}

/**
 * Called after each small part of a work, and its promise is awaited. Undefined while a step of the work lasts: an
 * `await` for each of ten thousand parts would take longer than the parts.
 */
export type Step = () => Promise<void> | undefined

/**
 * Divides a work into steps of this length. `yieldToEventLoop` lets other requests be handled between two
 * steps.
 */
export function stepsOf(milliseconds: number, yieldToEventLoop: () => Promise<void>): Step {
  let until = performance.now() + milliseconds
  return () => {
    if (performance.now() < until) return undefined
    return yieldToEventLoop().then(() => {
      until = performance.now() + milliseconds
    })
  }
}

/** Divides background work into steps of STEP_MS. */
export function backgroundSteps(signal?: AbortSignal): Step {
  return stepsOf(STEP_MS, () => yieldToRequests(signal))
}

/** Like `map`, as background work: for maps that take less than a millisecond for an item. */
export async function mapInBackground<T, Result>(
  items: Iterable<T>,
  map: (item: T) => Result,
  signal?: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = []
  const step = backgroundSteps(signal)
  for (const item of items) {
    results.push(map(item))
    const yielded = step()
    if (yielded) await yielded
  }
  return results
}
