import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { readConfig } from '../../src/config/config.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { createLog } from '../../src/logging/log.ts'
import type { StoredMail } from '../../src/mail/mailbox.ts'
import { get, logIn, type Person, post, registration } from './api.ts'
import { startChild } from './child.ts'
import type { CleanedUp } from './clean-up.ts'
import { freePort } from './free-port.ts'
import { withDatabaseTimeout } from './service.ts'
import { eventually } from './site.ts'

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url))
// Both only keep a test from hanging. A service that takes longer than it should to stop exits with 1 by itself.
const PATIENCE = 60_000
const LIMIT_TO_END = 60_000

export interface PorticoProcess {
  url: string
  child: ChildProcess
  /** Everything it has said so far. */
  output(): string
  /** Ends when it has said this. Fails when it ends without, or keeps silent for too long. */
  said(what: string | RegExp): Promise<void>
  /** Its exit code, the signal that killed it, or 'still running' after a minute. */
  end(): Promise<number | string>
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

/**
 * The service as an operator runs it, with these settings and nothing else of our environment, nor of an own `.env`. It is
 * gone, with its workers, when the test is over.
 */
export async function startProcess(
  test: CleanedUp,
  env: Record<string, string>,
  cwd?: string,
  stdout: number | 'pipe' = 'pipe',
): Promise<PorticoProcess> {
  const port = env.PORT ?? String(await freePort())
  const child = startChild(test, process.execPath, [MAIN], {
    cwd: cwd ?? env.DATA_DIR,
    env: { PATH: process.env.PATH, PORT: port, ...env },
    stdio: ['ignore', stdout, 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      child.emit('said')
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)

  return {
    url: `http://127.0.0.1:${port}`,
    child,
    output: () => output,
    end,
    async said(what) {
      const deadline = AbortSignal.timeout(PATIENCE)
      const isOver = ended.then(() => 'over')
      while (!(typeof what === 'string' ? output.includes(what) : what.test(output))) {
        const next = once(child, 'said', { signal: deadline }).catch(() => 'over')
        if ((await Promise.race([next, isOver])) === 'over') throw new Error(`it did not say ${what}, but:\n${output}`)
      }
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return end()
    },
  }

  function end(): Promise<number | string> {
    const { promise, resolve } = Promise.withResolvers<number | string>()
    const limit = globalThis.setTimeout(resolve, LIMIT_TO_END, 'still running')
    return Promise.race([ended, promise]).finally(() => clearTimeout(limit))
  }
}

/** A process that has come up and serves. */
export async function startReady(test: CleanedUp, env: Record<string, string>, cwd?: string): Promise<PorticoProcess> {
  const portico = await startProcess(test, env, cwd)
  await portico.said('Portico is ready at')
  return portico
}

/** A process that serves but says nothing, save what it complains of: for those who send it more than can be logged. */
export async function startQuiet(test: CleanedUp, env: Record<string, string>): Promise<PorticoProcess> {
  const portico = await startProcess(test, { LOG_LEVEL: 'error', ...env })
  await untilReady(portico)
  return portico
}

/** Ends when the process serves. Fails when it ends without, or takes too long. */
export async function untilReady(portico: PorticoProcess): Promise<void> {
  const deadline = Date.now() + 2 * PATIENCE
  while (
    !(await fetch(`${portico.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    const hasEnded = portico.child.exitCode !== null || portico.child.signalCode !== null
    if (hasEnded || Date.now() > deadline) throw new Error(`it does not serve, but says:\n${portico.output()}`)
    await setTimeout(20)
  }
}

/** A registered and verified person who has logged in there. */
export async function signUpThere(portico: { url: string }): Promise<Person> {
  const { email, password, ...body } = registration()
  await post(portico, '/api/create-account', { ...body, email, password })
  const verificationCode = await codeThere(portico, email)
  await post(portico, '/api/email-verification', { email, verificationCode })
  return logIn(portico, { email, password })
}

/** The code in the newest mail of this subject to an address. Another instance on the same database may be delivering it. */
export async function codeThere(portico: { url: string }, email: string, subject = 'Verify your e-mail address') {
  let code = ''
  await eventually(async () => {
    const { body } = await get(portico, `/dev/mailbox?to=${email}`, { headers: { accept: 'application/json' } })
    const mail = body.mails.find((each: StoredMail) => each.subject.startsWith(subject))
    code = /^ {4}(\d{6})$/m.exec(mail?.text)?.[1] ?? ''
    assert.ok(code, `no code was mailed to ${email}`)
  })
  return code
}

/** Reads what a process has written, with a connection of our own. */
export async function lookInto<T>(env: Record<string, string>, look: (database: Database) => Promise<T>): Promise<T> {
  const config = withDatabaseTimeout(readConfig({ LOG_LEVEL: 'silent', ...env }))
  const database = await openDatabase(config.database, createLog(config))
  return look(database).finally(() => database.close())
}
