import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import { ensureInstalled } from './install.ts'

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

interface Row {
  pid: number
  parent: number
}

/** All processes of this machine except zombies. */
function running(): Row[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state?.startsWith('Z'))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }))
}

/** The processes among these that have not ended. */
export function stillRunning(pids: number[]): number[] {
  return running()
    .map(({ pid }) => pid)
    .filter((pid) => pids.includes(pid))
}

/** The descendants of a process. */
export function descendantsOf(ancestor: number): number[] {
  const rows = running()
  const below = (parent: number): number[] =>
    rows.filter((row) => row.parent === parent).flatMap(({ pid }) => [pid, ...below(pid)])
  return below(ancestor)
}

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants

export interface NamedPipe {
  /** For the process that writes. */
  writeEnd: number
  /** Reads the available bytes without waiting. */
  read(): string
  /** Closes the reader: the writer gets EPIPE. */
  closeReader(): void
}

/** A real pipe that is read only when the test reads it. `stdio: 'pipe'` of node:child_process is a pair of sockets. */
export function createNamedPipe(test: TestContext): NamedPipe {
  const folder = mkdtempSync(join(tmpdir(), 'portico-pipe-'))
  cleanUp(test, () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const readEnd = openSync(path, O_RDONLY | O_NONBLOCK)
  const writeEnd = openSync(path, O_WRONLY)
  const open = new Set([readEnd, writeEnd])
  cleanUp(test, () => open.forEach((fd) => void closeSync(fd)))
  const bytes = Buffer.alloc(1024 * 1024)
  return {
    writeEnd,
    read() {
      try {
        return bytes.toString('utf8', 0, readSync(readEnd, bytes))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return ''
        throw error
      }
    },
    closeReader() {
      open.delete(readEnd)
      closeSync(readEnd)
    },
  }
}

/**
 * Traces system calls of all threads of a running process, with further options of strace(1), into a file. Resolves
 * when tracing has begun. Each line of the file begins with the id of its thread.
 */
export async function trace(test: CleanedUp, pid: number, file: string, options: string[]) {
  const program = await ensureInstalled('/usr/bin/strace', 'strace')
  const parameters = ['-f', '-o', file, ...options, '-p', String(pid)]
  const strace = startChild(test, program, parameters, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(strace, 'close')
  /** The process continues untraced, and the file is complete. */
  async function stop(): Promise<void> {
    strace.kill('SIGINT')
    await ended
  }
  cleanUp(test, stop)
  await untilPrinted(strace, /attached/)
  return { stop }
}
