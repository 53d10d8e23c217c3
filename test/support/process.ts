import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import metadata from '../../package.json' with { type: 'json' }
import { readConfig } from '../../src/config/config.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { createLog } from '../../src/logging/log.ts'
import type { StoredMail } from '../../src/mail/mailbox.ts'
import { get, logIn, type Person, post, registration } from './api.ts'
import { startChild } from './child.ts'
import { type CleanedUp, temporaryFolder } from './clean-up.ts'
import { freePort } from './local-servers.ts'
import { withDatabaseTimeout } from './service.ts'
import { eventually } from './site.ts'

/** The options of Node that `npm start` has. */
export const NODE_OPTIONS = /^node (.*) src\/main\.js serve$/.exec(metadata.scripts.start)?.[1]?.split(' ') ?? []

/** The file of the command `portico`. */
export const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url))

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
  const child = startChild(test, process.execPath, [...NODE_OPTIONS, MAIN, 'serve'], {
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

export interface CommandResult {
  code: number | string
  stdout: string
  stderr: string
}

/**
 * Runs `portico` to its end, in an empty folder unless `cwd` names another, with these settings and nothing else of our
 * environment. `input` is written to stdin.
 */
export async function runPortico(
  test: CleanedUp,
  words: string[],
  { env = {}, cwd, input }: { env?: Record<string, string>; cwd?: string; input?: string } = {},
): Promise<CommandResult> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = startChild(test, process.execPath, [MAIN, ...words], {
    cwd: cwd ?? env.DATA_DIR ?? (await temporaryFolder(test)),
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const { stdin, stdout, stderr } = child
  assert.ok(stdin && stdout && stderr)
  // A command that does not read its input may have ended before.
  stdin.on('error', () => {}).end(input)
  const [[code, signal], printed, errors] = await Promise.all([once(child, 'close'), text(stdout), text(stderr)])
  return { code: code ?? signal, stdout: printed, stderr: errors }
}
