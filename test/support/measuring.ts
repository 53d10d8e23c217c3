import assert from 'node:assert/strict'
import type { PorticoProcess } from './process.ts'

/** Prints a line of progress of a long test at once. */
export function report(text: string): void {
  process.stdout.write(`    ${text}\n`)
}

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

/** Settings of a process whose memory use can be read. */
export const WITH_MEMORY_PROBE = {
  NODE_OPTIONS: `--expose-gc --import=${new URL('./memory-probe.ts', import.meta.url)}`,
}

export interface Memory {
  /** Resident set size in bytes. */
  rss: number
  /** Size of the live objects and buffers after garbage collection, in bytes. */
  liveBytes: number
}

const MEMORY_LINE = /^memory (\d+) (\{.*\})$/gm

export async function memoryOf(portico: PorticoProcess): Promise<Memory> {
  const before = [...portico.output().matchAll(MEMORY_LINE)].length
  portico.child.kill('SIGUSR2')
  await portico.logged(new RegExp(`^memory ${before + 1} \\{.*\\}$`, 'm'))
  const [, , memory = ''] = [...portico.output().matchAll(MEMORY_LINE)].at(-1) ?? []
  return JSON.parse(memory)
}

export const inMegabytes = (bytes: number) => Math.round(bytes / 2 ** 20)
