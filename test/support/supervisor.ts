// A process that watches another one, ends the processes that it leaves behind, and removes the folders. Node cannot
// start a child that dies with its parent. The watched process has the other end of our stdin: the kernel closes it
// however that process ends. Lines on stdin: `+<target>` and `-<target>`, where a target is an argument of process.kill,
// or the absolute path of a folder. A negative number is a process group.
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [watched = 0, runner = 0, limitMs = 0] = process.argv.slice(2).map(Number)
const RUNNER_CHECK_MS = 500
const GRACE_MS = 5000
const targets = new Set<string>()

const lines = createInterface(process.stdin)
lines.on('line', (line) => {
  const target = line.slice(1)
  if (line.startsWith('+')) targets.add(target)
  else targets.delete(target)
})
lines.on('close', () => {
  const [folders, processes] = [[...targets].filter(isFolder), [...targets].filter((target) => !isFolder(target))]
  for (const target of processes) send(Number(target), 'SIGKILL')
  // A killed process may write to its folder until it has ended.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  process.exit()
})

if (limitMs > 0) {
  setTimeout(() => {
    process.stderr.write(`Process ${watched} of the tests took more than ${limitMs / 60_000} minutes and is killed.\n`)
    // On SIGTERM the runner prints which files were running.
    if (runner === 0) send(watched, 'SIGTERM')
    setTimeout(() => send(watched, 'SIGKILL'), runner === 0 ? GRACE_MS : 0)
  }, limitMs)
}

if (runner > 0) {
  setInterval(() => {
    if (!send(runner, 0)) send(watched, 'SIGKILL')
  }, RUNNER_CHECK_MS)
}

function isFolder(target: string): boolean {
  return target.startsWith('/')
}

/** Returns false when there is no such process. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch {
    return false
  }
}
