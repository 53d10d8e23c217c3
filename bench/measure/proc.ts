import { readdirSync, readFileSync } from 'node:fs'
import { output } from './output.ts'

// The clock ticks of /proc, on every current Linux machine.
const TICKS_PER_SECOND = 100

/** Seconds of processor time of a process and its children so far. Undefined without /proc. */
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

/**
 * Seconds of processor time of all our child processes that have ended. The difference of two readings is that of load
 * generators.
 */
export function endedChildrenSeconds(): number {
  return statOf(process.pid)?.endedChildren ?? 0
}

function statOf(pid: number) {
  try {
    // The name of the program is in parentheses and may contain any character. Numbers follow it.
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

/**
 * The CPU time of all cores since the start of the machine, in ticks, and the part that the host gave to other virtual
 * machines while a program here waited for it (proc_stat(5), `steal`). Undefined without /proc.
 */
export function machineTicks(): { all: number; stolen: number } | undefined {
  try {
    const [, ...ticks] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] as string).split(/ +/).map(Number)
    // The last two, of guests, are in the first two too.
    const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, stolen = 0] = ticks
    return { all: user + nice + system + idle + ioWait + irq + softIrq + stolen, stolen }
  } catch {
    return undefined
  }
}

/** Resident memory of a process, in MiB. */
export async function residentMemory(pid: number): Promise<number> {
  return Number(await output('ps', ['-o', 'rss=', '-p', String(pid)])) / 1024
}

/** Resident memory of a process and its children, in MiB. Shared pages count once for each. */
export async function residentMemoryOfAll(pid: number): Promise<number> {
  const memories = await Promise.all(childrenOf(pid).map(residentMemoryOfAll))
  return memories.reduce((sum, memory) => sum + memory, await residentMemory(pid))
}
