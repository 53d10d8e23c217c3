import assert from 'node:assert/strict'

/**
 * Returns a function that returns the processor time in milliseconds that this thread, which also serves, has used
 * since. Time in which the machine runs other programs is not counted.
 */
export function startProcessorTime(): () => number {
  const before = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
}

/**
 * Fails when the work takes longer in each of several tries. Other programs can make a try longer, because they evict
 * cache lines of the processor. They cannot make it shorter.
 */
export async function assertProcessorTime(limitMs: number, work: () => unknown, tries = 5): Promise<void> {
  const times: number[] = []
  while (times.length < tries) {
    const took = startProcessorTime()
    await work()
    const time = took()
    if (time < limitMs) return
    times.push(time)
  }
  assert.fail(`${times} ms of processor time, not ${limitMs} ms`)
}
