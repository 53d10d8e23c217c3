import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const SUPERVISOR = fileURLToPath(new URL('./supervisor.ts', import.meta.url))

let supervisor: ReturnType<typeof start> | undefined

/**
 * Starts the process that ends this one at its limit or when its runner is gone, and that ends what this one leaves
 * behind. Without a runner, or without a limit, the number is 0.
 */
export function supervise({ runner = 0, limitMs = 0 }): void {
  supervisor ??= start(runner, limitMs)
}

/** From now on this is killed when our process ends, in whatever way. A negative number is a process group. */
export function guard(target: number): void {
  supervise({})
  supervisor?.stdin.write(`+${target}\n`)
}

/** It has ended, and its number may be given to another process. */
export function release(target: number): void {
  supervisor?.stdin.write(`-${target}\n`)
}

function start(runner: number, limitMs: number) {
  const child = spawn(process.execPath, [SUPERVISOR, ...[process.pid, runner, limitMs].map(String)], {
    // A group of its own: the interrupt key of a terminal must not end it first.
    detached: true,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  // It is gone when our process is about to be.
  child.stdin.on('error', () => {})
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
  return child
}
