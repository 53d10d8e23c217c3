import { setTimeout } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import type { Database } from '../database/database.ts'
import type { OutboxTable } from '../database/tables.ts'
import type { Log } from '../logging/log.ts'
import { readerIsGone } from './outbox.ts'
import type { SiteName } from './site-name.ts'
import { isPermanent, MAX_CONNECTIONS, type Transport } from './transport.ts'

export interface DeliveryWorker {
  /** Looks into the outbox now instead of at the next round. */
  wake(): void
  /** Logs what is wrong with the mail server, if anything is. */
  check(): Promise<void>
  /** Ends when everything that was due has been tried. */
  idle(): Promise<void>
  /** Finishes the mails in hand and sends no more. */
  stop(): Promise<void>
}

type Mail = Selectable<OutboxTable>

const POLL_INTERVAL_MS = 5000
// While an instance is sending a mail the others leave it alone; if that instance dies, it is tried again after this.
const LEASE_MS = 2 * 60_000
const LEASE_RENEWAL_MS = LEASE_MS / 4
const BACKOFF_MS = [10_000, 30_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000]
const MAX_ATTEMPTS = 30
const STOP_TIMEOUT_MS = 3000

/** Carries mail from the outbox to the transport. Any number of instances may run one on the same database. */
export function startDeliveryWorker(
  database: Database,
  transport: Transport,
  siteName: SiteName,
  log: Log,
): DeliveryWorker {
  let stopped = false
  let wanted = false
  let running: Promise<void> | undefined
  const inHand = new Set<string>()
  const round = setInterval(wake, POLL_INTERVAL_MS)
  const renewal = setInterval(renewLeases, LEASE_RENEWAL_MS)
  wake()

  function wake() {
    wanted = true
    if (stopped) return
    running ??= run().finally(() => {
      running = undefined
      if (wanted) wake()
    })
  }

  async function run() {
    while (wanted && !stopped) {
      wanted = false
      try {
        await deliverDue()
      } catch (error) {
        log.error({ err: error }, 'could not read the outbox')
      }
    }
  }

  async function deliverDue() {
    let mails: Mail[]
    let delivered = false
    do {
      mails = await claim()
      await Promise.all(mails.map(deliver))
      delivered ||= mails.length > 0
    } while (mails.length === MAX_CONNECTIONS && !stopped)
    // The notice of a deletion is the last thing to name its reader: nothing of it stays in the files.
    if (delivered) await database.scrub()
  }

  /** Takes due mails in one statement, so that no two instances hold the same one. */
  async function claim(): Promise<Mail[]> {
    const { query, now, name } = database
    await query.deleteFrom('outbox').where('expires_at', '<=', now).where('failed_at', 'is', null).execute()
    return query
      .updateTable('outbox')
      .set((eb) => ({ attempts: eb('attempts', '+', 1), due_at: eb(now, '+', LEASE_MS) }))
      .where('id', 'in', (eb) => {
        const due = eb
          .selectFrom('outbox')
          .select('id')
          .where('failed_at', 'is', null)
          .where('due_at', '<=', now)
          .orderBy('due_at')
          .limit(MAX_CONNECTIONS)
        return name === 'postgres' ? due.forUpdate().skipLocked() : due
      })
      .returningAll()
      .execute()
  }

  /** However slowly the mail server speaks, nobody else sends these too. */
  function renewLeases() {
    if (inHand.size === 0) return
    database.query
      .updateTable('outbox')
      .set((eb) => ({ due_at: eb(database.now, '+', LEASE_MS) }))
      .where('id', 'in', [...inHand])
      .execute()
      .catch((error) => log.error({ err: error }, 'could not keep hold of the mails that are being sent'))
  }

  async function deliver(mail: Mail) {
    inHand.add(mail.id)
    try {
      await transport.send({
        to: mail.recipient,
        subject: `${mail.subject} - ${siteName.title()}`,
        text: mail.text_body,
        html: mail.html_body,
      })
    } catch (error) {
      inHand.delete(mail.id)
      return putBack(mail, error)
    }
    inHand.delete(mail.id)
    await database.query.deleteFrom('outbox').where('id', '=', mail.id).execute()
  }

  async function putBack(mail: Mail, error: unknown) {
    const givenUp = isPermanent(error) || mail.attempts >= MAX_ATTEMPTS
    const pause = BACKOFF_MS[Math.min(mail.attempts, BACKOFF_MS.length) - 1] ?? 0
    await database.query
      .updateTable('outbox')
      .set((eb) => ({
        last_error: String(error).slice(0, 500),
        ...(givenUp ? { failed_at: database.now } : { due_at: eb(database.now, '+', pause) }),
      }))
      .where('id', '=', mail.id)
      .execute()
    if (givenUp) await database.query.deleteFrom('outbox').where('id', '=', mail.id).where(readerIsGone).execute()
    const { id: mailId, attempts } = mail
    log.warn({ err: error, mailId, attempts }, givenUp ? 'gave up a mail' : 'will try a mail again')
  }

  return {
    wake,
    async check() {
      try {
        await transport.check?.()
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        log.error(`mail cannot be sent, and waits: ${reason}`)
      }
    },
    async idle() {
      while (running) await running
    },
    async stop() {
      stopped = true
      clearInterval(round)
      clearInterval(renewal)
      // A mail server that hangs must not hold us up: the lease of the mail brings it back later.
      await Promise.race([running, setTimeout(STOP_TIMEOUT_MS, undefined, { ref: false })])
      transport.close()
    },
  }
}
