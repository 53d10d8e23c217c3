import { readdirSync, readFileSync } from 'node:fs'
import { output } from './output.ts'

// What Linux counts processor time in, on every machine it runs on today.
const TICKS_PER_SECOND = 100

/** Seconds of processor time that a process and its children have used so far; undefined where /proc does not tell. */
export function processorSeconds(pid: number): number | undefined {
  const own = statOf(pid)
  if (!own) return undefined
  return childrenOf(pid).reduce((sum, child) => sum + (processorSeconds(child) ?? 0), own.seconds)
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => statOf(other)?.parent === pid)
}

/** Seconds of processor time of all processes that we started and that have ended: of load generators, between two looks. */
export function endedChildrenSeconds(): number {
  return statOf(process.pid)?.endedChildren ?? 0
}

function statOf(pid: number) {
  try {
    // The name of the program is in parentheses and may hold anything; numbers follow it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    const sum = (a: number, b: number) => ((fields[a] ?? 0) + (fields[b] ?? 0)) / TICKS_PER_SECOND
    return { parent: fields[1], seconds: sum(11, 12), endedChildren: sum(13, 14) }
  } catch {
    return undefined
  }
}

/** Memory that a process holds, in MiB. */
export async function residentMemory(pid: number): Promise<number> {
  return Number(await output('ps', ['-o', 'rss=', '-p', String(pid)])) / 1024
}

/** Memory that a process and its children hold, in MiB. Pages that they share count once for each. */
export async function residentMemoryOfAll(pid: number): Promise<number> {
  const memories = await Promise.all(childrenOf(pid).map(residentMemoryOfAll))
  return memories.reduce((sum, memory) => sum + memory, await residentMemory(pid))
}
