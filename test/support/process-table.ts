import { execFileSync } from 'node:child_process'

interface Row {
  pid: number
  parent: number
}

/** All processes of this machine, without those that have ended and were not waited for. */
function running(): Row[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state?.startsWith('Z'))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }))
}

/** Which of these processes have not ended. */
export function stillRunning(pids: number[]): number[] {
  return running()
    .map(({ pid }) => pid)
    .filter((pid) => pids.includes(pid))
}

/** The processes that a process has started, and those that they have started. */
export function startedBy(ancestor: number): number[] {
  const rows = running()
  const below = (parent: number): number[] =>
    rows.filter((row) => row.parent === parent).flatMap(({ pid }) => [pid, ...below(pid)])
  return below(ancestor)
}
