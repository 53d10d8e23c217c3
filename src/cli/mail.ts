import { counted } from '../lib/counted.ts'
import { isoTime, isoTimeOrNull } from '../lib/dates.ts'
import { printable } from '../lib/printable.ts'
import { type LeftReason, listMails, type OutboxMail, type Outcome } from '../mail/outbox-admin.ts'
import { dropMails } from '../owner/drop-mails.ts'
import type { OwnerOperation } from '../owner/owner-operation.ts'
import type { OwnerParts } from '../owner/parts.ts'
import { retryMails } from '../owner/retry-mails.ts'
import { sendTestMail } from '../owner/send-test-mail.ts'
import { EXIT, type Invocation } from './command.ts'
import { withExistingDatabase } from './open.ts'
import { withOwnerDesk } from './owner-desk.ts'
import { usageError } from './parse.ts'
import { alignColumns, type Terminal } from './terminal.ts'

const REASONS: Record<LeftReason, string> = {
  unknown: 'there is no such mail: "portico mail list" shows the ids',
  sending: 'it is being sent, or was tried and is due again within four minutes',
  expired: 'the code in it has expired: the person has to ask for a new one. "portico mail drop" deletes it',
}
const MAX_ERROR_CHARACTERS = 100
// Of one call of an operation.
const BATCH_MAILS = 100

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
      failedAt === null ? `next ${isoTimeOrNull(dueAt)}` : `failed ${isoTime(failedAt)}`,
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
    onlyFailed: false,
    operationOf: retryMails,
    report: (count) => `${counted(count, 'mail')} due now. A running service reads the outbox every five seconds.`,
  })
}

export function drop(invocation: Invocation): Promise<number> {
  return change(invocation, 'all-failed', {
    onlyFailed: true,
    operationOf: dropMails,
    report: (count) => `Deleted ${counted(count, 'mail')}.`,
  })
}

export async function test({ args: [email], json, terminal }: Invocation): Promise<undefined> {
  const data = await withOwnerDesk(terminal, ({ parts, run }) => run(sendTestMail(parts), { body: { email } }))
  if (json) terminal.printJson(data)
  else {
    terminal.print(printable(`A test mail to ${data.recipient} is in the outbox.`))
    terminal.print('A running service sends it within five seconds: "portico mail list" has it until then.')
  }
}

interface Change {
  /** Whether the option selects only the failed mails. Otherwise it selects all. */
  onlyFailed: boolean
  operationOf(parts: OwnerParts): OwnerOperation<{ mailIds: string[] }, unknown, Outcome>
  report(count: number): string
}

/** Changes the named mails, or those that the option selects. Fails if a named mail was not changed. */
async function change({ args, flag, json, terminal }: Invocation, option: string, change: Change): Promise<number> {
  const isAll = flag(option)
  if (isAll === args.length > 0) throw usageError(`Give ids of mails or --${option}, and not both`)
  const { done, left } = await withOwnerDesk(terminal, async ({ parts, run }) => {
    const ids = isAll ? (await listMails(parts.database, change)).map(({ id }) => id) : args
    const outcome: Outcome = { done: [], left: [] }
    for (let start = 0; start < ids.length; start += BATCH_MAILS) {
      const body = { mailIds: ids.slice(start, start + BATCH_MAILS) }
      const { done, left } = await run(change.operationOf(parts), { body })
      outcome.done.push(...done)
      outcome.left.push(...left)
    }
    return outcome
  })
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
    dueAt: isoTimeOrNull(dueAt),
    failedAt: isoTimeOrNull(failedAt),
    expiresAt: isoTimeOrNull(expiresAt),
  }
}

function shortened(error: string): string {
  return error.length > MAX_ERROR_CHARACTERS ? `${error.slice(0, MAX_ERROR_CHARACTERS - 1)}…` : error
}
