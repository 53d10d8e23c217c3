import type { Database } from '../database/database.ts'
import { counted } from '../lib/counted.ts'
import { isoTime } from '../lib/dates.ts'
import { printable } from '../lib/printable.ts'
import {
  dropMails,
  type LeftReason,
  listMails,
  type OutboxMail,
  type Outcome,
  retryMails,
} from '../mail/outbox-admin.ts'
import { EXIT, type Invocation } from './command.ts'
import { withExistingDatabase } from './open.ts'
import { usageError } from './parse.ts'
import { alignColumns, type Terminal } from './terminal.ts'

const REASONS: Record<LeftReason, string> = {
  unknown: 'there is no such mail: "portico mail list" shows the ids',
  sending: 'it is being sent, or will be tried within four minutes',
  expired: 'the code in it has expired: the person has to ask for a new one. "portico mail drop" deletes it',
}
const MAX_ERROR_CHARACTERS = 100

export async function list({ flag, json, terminal }: Invocation): Promise<undefined> {
  const mails = await withExistingDatabase(terminal, (database) => listMails(database, { onlyFailed: flag('failed') }))
  if (json) {
    terminal.printJson({ mails: mails.map(toJson) })
    return
  }
  if (mails.length === 0) {
    terminal.print(flag('failed') ? 'No mail has failed.' : 'The outbox is empty: every mail was delivered.')
    return
  }
  const rows = mails.map(({ id, recipient, subject, attempts, dueAt, failedAt, lastError }) =>
    [
      id,
      recipient,
      subject,
      String(attempts),
      failedAt === null ? `next ${timeOrNull(dueAt)}` : `failed ${isoTime(failedAt)}`,
      shortened(lastError ?? ''),
    ].map(printable),
  )
  const header = ['ID', 'TO', 'SUBJECT', 'TRIES', 'STATE', 'LAST ERROR']
  for (const line of alignColumns([header, ...rows])) terminal.print(line)
  const failed = mails.filter(({ failedAt }) => failedAt !== null).length
  terminal.print(`\n${mails.length - failed} waiting, ${failed} failed`)
  if (failed > 0) terminal.print('"portico mail retry ID..." tries a mail again, "portico mail drop ID..." deletes it.')
}

export function retry(invocation: Invocation): Promise<number> {
  return change(invocation, 'all', {
    find: (database) => listMails(database),
    apply: retryMails,
    report: (count) => `${counted(count, 'mail')} due now. A running service reads the outbox every five seconds.`,
  })
}

export function drop(invocation: Invocation): Promise<number> {
  return change(invocation, 'all-failed', {
    find: (database) => listMails(database, { onlyFailed: true }),
    apply: dropMails,
    report: (count) => `Deleted ${counted(count, 'mail')}.`,
  })
}

interface Change {
  /** Finds the mails that the option stands for. */
  find(database: Database): Promise<OutboxMail[]>
  apply(database: Database, ids: string[]): Promise<Outcome>
  report(count: number): string
}

/** Changes the named mails, or those that the option stands for. Fails if a named mail was left as it was. */
async function change({ args, flag, json, terminal }: Invocation, option: string, change: Change): Promise<number> {
  const isAll = flag(option)
  if (isAll === args.length > 0) throw usageError(`give ids of mails or --${option}, and not both`)
  const { done, left } = await withExistingDatabase(terminal, async (database) =>
    change.apply(database, isAll ? (await change.find(database)).map(({ id }) => id) : args),
  )
  if (json) terminal.printJson({ done, left })
  else {
    if (isAll || done.length > 0) terminal.print(change.report(done.length))
    printLeft(left, terminal)
  }
  return left.length > 0 && !isAll ? EXIT.failed : EXIT.ok
}

function printLeft(left: Outcome['left'], terminal: Terminal): void {
  for (const { id, reason } of left) terminal.note(`${printable(id)} was left as it is: ${REASONS[reason]}`)
}

function toJson({ createdAt, dueAt, failedAt, expiresAt, ...mail }: OutboxMail) {
  return {
    ...mail,
    createdAt: isoTime(createdAt),
    dueAt: timeOrNull(dueAt),
    failedAt: timeOrNull(failedAt),
    expiresAt: timeOrNull(expiresAt),
  }
}

function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds)
}

function shortened(error: string): string {
  return error.length > MAX_ERROR_CHARACTERS ? `${error.slice(0, MAX_ERROR_CHARACTERS - 1)}…` : error
}
