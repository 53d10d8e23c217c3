import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../../src/config/config.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { createLog } from '../../src/logging/log.ts'
import type { StoredMail } from '../../src/mail/mailbox.ts'
import { get, logIn, type Person, post, registration } from './api.ts'
import { startChild, untilPrinted } from './child.ts'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import { ensureInstalled } from './debian-package.ts'
import { freePort } from './free-port.ts'
import { withDatabaseTimeout } from './service.ts'
import { eventually } from './site.ts'

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url))
// Both only keep a test from hanging. A service that exceeds its own shutdown limit exits with 1 by itself.
const WAIT_LIMIT_MS = 60_000
const EXIT_LIMIT_MS = 60_000

export interface PorticoProcess {
  url: string
  child: ChildProcess
  /** All output so far. */
  output(): string
  /** Resolves when the output contains this text. Rejects when the process ends before, or at the time limit. */
  logged(what: string | RegExp): Promise<void>
  /** The exit code, the signal that killed the process, or 'still running' after a minute. */
  end(): Promise<number | string>
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

/**
 * The service as an operator runs it, with only these settings: neither our environment nor a `.env` of this folder.
 * The clean-up of the test ends it and its workers.
 */
export async function startProcess(
  test: CleanedUp,
  env: Record<string, string>,
  cwd?: string,
  stdout: number | 'pipe' = 'pipe',
): Promise<PorticoProcess> {
  const port = env.PORT ?? String(await freePort())
  const child = startChild(test, process.execPath, ['--v8-pool-size=0', MAIN, 'serve'], {
    cwd: cwd ?? env.DATA_DIR,
    env: { PATH: process.env.PATH, PORT: port, ...env },
    stdio: ['ignore', stdout, 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      child.emit('output')
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)

  return {
    url: `http://127.0.0.1:${port}`,
    child,
    output: () => output,
    end,
    async logged(what) {
      const deadline = AbortSignal.timeout(WAIT_LIMIT_MS)
      const isOver = ended.then(() => 'over')
      while (!(typeof what === 'string' ? output.includes(what) : what.test(output))) {
        const next = once(child, 'output', { signal: deadline }).catch(() => 'over')
        if ((await Promise.race([next, isOver])) === 'over') throw new Error(`the output lacks ${what}:\n${output}`)
      }
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return end()
    },
  }

  function end(): Promise<number | string> {
    const { promise, resolve } = Promise.withResolvers<number | string>()
    const limit = globalThis.setTimeout(resolve, EXIT_LIMIT_MS, 'still running')
    return Promise.race([ended, promise]).finally(() => clearTimeout(limit))
  }
}

/** A process that has started and is ready. */
export async function startReady(test: CleanedUp, env: Record<string, string>, cwd?: string): Promise<PorticoProcess> {
  const portico = await startProcess(test, env, cwd)
  await portico.logged('Portico is ready at')
  return portico
}

/** A process that is ready and logs errors only, for tests that send more requests than can be logged. */
export async function startQuiet(test: CleanedUp, env: Record<string, string>): Promise<PorticoProcess> {
  const portico = await startProcess(test, { LOG_LEVEL: 'error', ...env })
  await untilReady(portico)
  return portico
}

/** Resolves when the process is ready. Rejects when it ends before, or at the time limit. */
export async function untilReady(portico: PorticoProcess): Promise<void> {
  const deadline = Date.now() + 2 * WAIT_LIMIT_MS
  while (
    !(await fetch(`${portico.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    const hasEnded = portico.child.exitCode !== null || portico.child.signalCode !== null
    if (hasEnded || Date.now() > deadline) throw new Error(`the service is not ready:\n${portico.output()}`)
    await setTimeout(20)
  }
}

/** A registered and verified person who has logged in at this process. */
export async function signUpAt(portico: { url: string }): Promise<Person> {
  const { email, password, ...body } = registration()
  await post(portico, '/api/create-account', { ...body, email, password })
  const verificationCode = await codeAt(portico, email)
  await post(portico, '/api/email-verification', { email, verificationCode })
  return logIn(portico, { email, password })
}

/** The code in the newest mail of this subject to an address. Another instance on the same database may deliver it. */
export async function codeAt(portico: { url: string }, email: string, subject = 'Verify your e-mail address') {
  let code = ''
  await eventually(async () => {
    const { body } = await get(portico, `/dev/mailbox?to=${email}`, { headers: { accept: 'application/json' } })
    const mail = body.mails.find((each: StoredMail) => each.subject.startsWith(subject))
    code = /^ {4}(\d{6})$/m.exec(mail?.text)?.[1] ?? ''
    assert.ok(code, `no code was mailed to ${email}`)
  })
  return code
}

/** Reads the database of a process through another connection. */
export async function readDatabase<T>(
  env: Record<string, string>,
  read: (database: Database) => Promise<T>,
): Promise<T> {
  const config = withDatabaseTimeout(readConfig({ LOG_LEVEL: 'silent', ...env }))
  const database = await openDatabase(config.database, createLog(config))
  return read(database).finally(() => database.close())
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
