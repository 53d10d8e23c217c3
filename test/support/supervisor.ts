// A process that watches another one and ends the processes that it leaves behind. Node cannot start a child that dies
// with its parent. The watched process has the other end of our stdin: the kernel closes it however that process ends.
// Lines on stdin: `+<target>` and `-<target>`, where a target is an argument of process.kill. A negative one is a
// process group.
import { createInterface } from 'node:readline'

const [watched = 0, runner = 0, limitMs = 0] = process.argv.slice(2).map(Number)
const RUNNER_CHECK_MS = 500
const GRACE_MS = 5000
const targets = new Set<number>()

const lines = createInterface(process.stdin)
lines.on('line', (line) => {
  const target = Number(line.slice(1))
  if (line.startsWith('+')) targets.add(target)
  else targets.delete(target)
})
lines.on('close', () => {
  for (const target of targets) send(target, 'SIGKILL')
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

/** Returns false when there is no such process. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch {
    return false
  }
}
