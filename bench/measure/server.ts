import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '../../test/support/local-servers.ts'
import { NODE_OPTIONS } from '../../test/support/process.ts'
import { onServerCore } from './cores.ts'

/** A contender: a process that serves at an address, and is ended when it goes out of scope. */
export interface Server extends AsyncDisposable {
  url: string
  pid: number
  /** Its output if it has ended; empty while it runs. */
  lastOutput(): string
}

/** How a server runs, apart from its settings. */
export interface Place {
  /** The file that standard output and standard error are appended to. Without it, `tail` reads them from a pipe. */
  log?: string
  /** On the core of the servers, away from the load. */
  onServerCore?: boolean
  /** The time limit until it accepts connections. */
  startLimitMs?: number
}

const START_LIMIT_MS = 60_000
const MAX_OUTPUT_BYTES = 4000
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) killAll(child)
})

/**
 * Starts a file of this project as a process of its own (`serve` is for Portico, others ignore it), with the options of
 * Node that `npm start` has, these settings and nothing else of our environment.
 */
export async function startServer(file: string, env: Record<string, string>, place: Place = {}): Promise<Server> {
  const port = await freePort()
  const command = [process.execPath, ...NODE_OPTIONS, resolve(import.meta.dirname, '../..', file), 'serve']
  const settings = { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env }
  return startProgram(command, port, settings, place)
}

/** Starts a program that will listen on this port, with these settings and nothing else of our environment. */
export async function startProgram(
  command: string[],
  port: number,
  env: Record<string, string>,
  { log, startLimitMs = START_LIMIT_MS, ...place }: Place = {},
): Promise<Server> {
  const [program = '', ...args] = place.onServerCore ? onServerCore(command) : command
  // A small program reads the output: the log of every request would take much of the time of this process.
  const reader = log === undefined ? startReader() : undefined
  const output = reader?.stdin ?? openSync(log ?? '', 'a')
  const child = spawn(program, args, {
    // In another folder, so that no `.env` of ours is read.
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', output, output],
    // A process group of its own, so that its children can be killed with it.
    detached: true,
  })
  if (typeof output === 'number') closeSync(output)
  else output.destroy()
  running.add(child)
  let recentOutput = ''
  const lastOutput = () => (log === undefined ? recentOutput : readFileSync(log, 'utf8').slice(-MAX_OUTPUT_BYTES))
  const ended = once(child, 'close').then(async () => {
    running.delete(child)
    if (reader) recentOutput = await text(reader.stdout)
  })
  async function stop() {
    child.kill('SIGTERM')
    const limit = setTimeout(() => killAll(child), 10_000)
    await ended
    clearTimeout(limit)
  }
  try {
    const check = () => {
      if (child.exitCode !== null) throw new Error('ended before it served')
    }
    await Promise.race([accepting(port, startLimitMs, check), ended])
    check()
  } catch (error) {
    await stop()
    throw new Error(`${basename(command[0] ?? '')}: ${error instanceof Error ? error.message : error}; ${lastOutput()}`)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    lastOutput: () => (child.exitCode === null ? '' : lastOutput()),
    [Symbol.asyncDispose]: stop,
  }
}

/** Reads until the end, and prints the last bytes then. */
function startReader() {
  return spawn('tail', ['-c', String(MAX_OUTPUT_BYTES)], { stdio: ['pipe', 'pipe', 'ignore'] })
}

function killAll({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

async function accepting(port: number, startLimitMs: number, check: () => void): Promise<void> {
  const deadline = performance.now() + startLimitMs
  while (!(await accepts(port))) {
    check()
    if (performance.now() > deadline) throw new Error(`nobody listens on ${port} after ${startLimitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const settle = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => settle(true)).once('error', () => settle(false))
  })
}
