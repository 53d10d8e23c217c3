import type { Config } from '../config/config.ts'
import { checkAddress } from './address.ts'
import { checkClock } from './clock.ts'
import { checkContentFolder } from './content.ts'
import { checkDatabase, openDatabaseToExamine } from './database.ts'
import { checkDisk } from './disk.ts'
import { type Check, type Finding, fault, type Observation } from './finding.ts'
import { checkKeys } from './keys.ts'
import { checkMailDomain } from './mail-domain.ts'
import { checkMailServer } from './mail-server.ts'
import { checkMigrations } from './migrations.ts'
import { checkOutbox } from './outbox.ts'
import { checkProviders } from './providers.ts'
import { checkProxy } from './proxy.ts'
import { createRedaction } from './redact.ts'
import { checkSecretFiles } from './secret-files.ts'
import { checkSettings, checkVersion } from './settings.ts'
import { checkSqliteFiles } from './sqlite-files.ts'
import { checkWebhooks } from './webhooks.ts'

/** One after the other: SQLite and markdown-it block the thread, and no other check may time out meanwhile. */
const LOCAL_CHECKS: Record<string, Check> = {
  version: checkVersion,
  settings: checkSettings,
  'secret files': checkSecretFiles,
  'database files': checkSqliteFiles,
  disk: checkDisk,
  database: checkDatabase,
  migrations: checkMigrations,
  keys: checkKeys,
  outbox: checkOutbox,
  webhooks: checkWebhooks,
  content: checkContentFolder,
}

/** At the same time: most of their time is spent waiting for others. */
const REMOTE_CHECKS: Record<string, Check> = {
  clock: checkClock,
  'mail server': checkMailServer,
  'mail domain': checkMailDomain,
  providers: checkProviders,
  address: checkAddress,
  proxy: checkProxy,
}

export interface ExamineOptions {
  /** The time limit of each check. */
  limitMs?: number
  /** Sends one test mail to this address. */
  sendTo?: string | undefined
}

const CHECK_TIMEOUT_MS = 5000
const TOO_LONG = 'the check took longer than'

/** Runs all checks. A check that fails or takes too long is a finding itself. */
export async function examine(
  config: Config,
  { limitMs = CHECK_TIMEOUT_MS, sendTo }: ExamineOptions = {},
): Promise<Finding[]> {
  const redact = createRedaction(config)
  const opened = await openDatabaseToExamine(config.database, limitMs, redact)
  const { database } = opened
  const findings = opened.observations.map((observation) => ({ check: 'database', ...observation }))
  const run = async (name: string, check: Check) =>
    (await runWithin(limitMs, (signal) => check({ config, database, signal, sendTo, redact }), redact)).map(
      (observation) => ({ check: name, ...observation }),
    )
  for (const [name, check] of Object.entries(LOCAL_CHECKS)) findings.push(...(await run(name, check)))
  const remote = await Promise.all(Object.entries(REMOTE_CHECKS).map(([name, check]) => run(name, check)))
  // A pool that does not respond must not keep the command from its result.
  void database?.close().catch(() => {})
  return [...findings, ...remote.flat()]
}

/** Runs a check until the time limit. Errors that the check does not know become faults. */
export async function runWithin(
  limitMs: number,
  check: (signal: AbortSignal) => Promise<Observation[]>,
  redact: (text: string) => string,
): Promise<Observation[]> {
  const controller = new AbortController()
  const { promise: limit, resolve } = Promise.withResolvers<Observation[]>()
  // The timer of `AbortSignal.timeout` is unreferenced: the process would exit while a check waits for nothing else.
  const timer = setTimeout(() => {
    controller.abort()
    resolve([
      fault(
        `${TOO_LONG} ${limitMs / 1000} seconds`,
        'Something does not respond. --timeout gives the check more time.',
      ),
    ])
  }, limitMs)
  const checked = check(controller.signal).catch((error) => [fault(redact(String(error)), 'The check itself failed.')])
  return Promise.race([limit, checked]).finally(() => clearTimeout(timer))
}

/** Whether a check exceeded its time limit, and may have left a connection open. */
export function hasTimedOut(findings: Finding[]): boolean {
  return findings.some(({ message }) => message.startsWith(TOO_LONG))
}

/** Whether nothing must be mended. */
export function isHealthy(findings: Finding[]): boolean {
  return findings.every(({ status }) => status !== 'fault')
}
