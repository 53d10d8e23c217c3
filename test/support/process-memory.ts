import type { PorticoProcess } from './process.ts'

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
