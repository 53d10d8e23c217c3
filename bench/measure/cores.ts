import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const CORES = availableParallelism()
const SERVER_CORE = '0'
const LOAD_CORES = CORES > 2 ? `1-${CORES - 1}` : '1'

/** Whether servers and load can run on separate cores: on Linux with taskset (util-linux) and at least two cores. */
export const coresAreSeparate = CORES > 1 && spawnSync('taskset', ['-cp', String(process.pid)]).status === 0

/** A command that runs on the core of the servers. */
export function onServerCore(command: string[]): string[] {
  return coresAreSeparate ? ['taskset', '-c', SERVER_CORE, ...command] : command
}

/** Moves this process. Processes that it starts afterwards inherit its cores (sched_setaffinity(2)). */
export function moveTo(place: 'server core' | 'load cores'): void {
  const cores = place === 'server core' ? SERVER_CORE : LOAD_CORES
  if (coresAreSeparate) spawnSync('taskset', ['-a', '-cp', cores, String(process.pid)])
}
