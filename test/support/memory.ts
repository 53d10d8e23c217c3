import type { PorticoProcess } from './process.ts'

/** Settings of a process whose memory can be asked for. */
export const WITH_MEMORY_PROBE = {
  NODE_OPTIONS: `--expose-gc --import=${new URL('./memory-probe.ts', import.meta.url)}`,
}

export interface Memory {
  /** What the process occupies, in bytes. */
  rss: number
  /** What its objects and buffers need when all garbage has been collected, in bytes. */
  held: number
}

const SAID = /^memory (\d+) (\{.*\})$/gm

export async function memoryOf(portico: PorticoProcess): Promise<Memory> {
  const before = [...portico.output().matchAll(SAID)].length
  portico.child.kill('SIGUSR2')
  await portico.said(new RegExp(`^memory ${before + 1} \\{.*\\}$`, 'm'))
  const [, , memory = ''] = [...portico.output().matchAll(SAID)].at(-1) ?? []
  return JSON.parse(memory)
}

export const inMegabytes = (bytes: number) => Math.round(bytes / 2 ** 20)
