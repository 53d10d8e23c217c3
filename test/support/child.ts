import assert from 'node:assert/strict'
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type CleanedUp, cleanUp } from './clean-up.ts'

/**
 * Starts a program in a process group of its own. The clean-up of the test kills the group and waits for its end. The
 * group is also killed when our process ends in any other way.
 */
export function startChild(
  test: CleanedUp,
  command: string,
  parameters: string[],
  options: SpawnOptions = {},
): ChildProcess {
  const child = spawn(command, parameters, { ...options, detached: true })
  const group = -(child.pid ?? 0)
  // The program was not found: the `error` event reports it.
  if (group === 0) return child
  guard(group)
  let isClosed = false
  const closed = once(child, 'close').then(() => {
    isClosed = true
    killGroup(group)
    release(group)
  })
  cleanUp(test, () => {
    // Not later: by then the process id may belong to another process.
    if (!isClosed) killGroup(group)
    // `close` is emitted after all output was read.
    for (const stream of [child.stdout, child.stderr]) stream?.resume()
    return closed
  })
  return child
}

/** Runs a program to its end and returns its output. Throws when the exit code is not 0. */
export async function runProgram(
  test: CleanedUp,
  command: string,
  parameters: string[],
  options: SpawnOptions = {},
): Promise<string> {
  const child = startChild(test, command, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const { stdout, stderr } = child
  assert.ok(stdout && stderr)
  const [[code, signal], printed, errors] = await Promise.all([once(child, 'close'), text(stdout), text(stderr)])
  if (code !== 0) throw new Error(`${command} ended with ${code ?? signal}:\n${errors}${printed.slice(-2000)}`)
  return printed
}

/** Resolves when a child has printed this to stderr. Throws when the child ends before. */
export async function untilPrinted(child: ChildProcess, what: RegExp): Promise<void> {
  const { stderr } = child
  assert.ok(stderr)
  const ended = once(child, 'close')
  let printed = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  while (!what.test(printed)) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} has ended: ${printed}`)
    await Promise.race([once(stderr, 'data'), ended])
  }
}

function killGroup(group: number): void {
  try {
    process.kill(group, 'SIGKILL')
  } catch {
    // The process group is empty.
  }
}

const SUPERVISOR = fileURLToPath(new URL('./supervisor.ts', import.meta.url))

let supervisor: ReturnType<typeof start> | undefined

/**
 * Starts the supervisor process. It ends this process at the limit or when the runner is gone, and then ends the
 * processes that this one has left. Without a runner, or without a limit, the number is 0.
 */
export function supervise({ runner = 0, limitMs = 0 }): void {
  supervisor ??= start(runner, limitMs)
}

/**
 * From now on the supervisor kills this process when ours ends for any reason, or removes this folder. A negative number
 * is a process group.
 */
export function guard(target: number | string): void {
  supervise({})
  supervisor?.stdin.write(`+${target}\n`)
}

/** The target has ended, and its number may be given to another process, or the folder is removed. */
export function release(target: number | string): void {
  supervisor?.stdin.write(`-${target}\n`)
}

function start(runner: number, limitMs: number) {
  const child = spawn(process.execPath, [SUPERVISOR, ...[process.pid, runner, limitMs].map(String)], {
    // A process group of its own: the interrupt key of a terminal must not end the supervisor first.
    detached: true,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  // The pipe fails only when the supervisor is gone, which ends just before our process.
  child.stdin.on('error', () => {})
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
  return child
}
