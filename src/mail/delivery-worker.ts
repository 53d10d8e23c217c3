import { setTimeout } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import type { Database } from '../database/database.ts'
import type { OutboxTable } from '../database/tables.ts'
import type { Log } from '../logging/log.ts'
import { hasNoAccountOrInvitation } from './outbox.ts'
import type { SiteIdentity } from './site-identity.ts'
import { isPermanent, MAX_CONNECTIONS, type Transport } from './transport.ts'

export interface DeliveryWorker {
  /** Reads the outbox now instead of at the next poll. */
  wake(): void
  /** Logs an error if the mail server cannot be reached or refuses the log-in. */
  check(): Promise<void>
  /** Resolves when every due mail has been attempted. */
  idle(): Promise<void>
  /** Graceful shutdown: waits up to STOP_TIMEOUT_MS for mails in flight, and starts no more. */
  stop(): Promise<void>
}

type Mail = Selectable<OutboxTable>

const POLL_INTERVAL_MS = 5000
// An instance holds a lease on each mail that it sends. If the instance dies, another one sends the mail after this
// time.
export const LEASE_MS = 2 * 60_000
const LEASE_RENEWAL_MS = LEASE_MS / 4
const BACKOFF_MS = [10_000, 30_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000]
const MAX_ATTEMPTS = 30
const STOP_TIMEOUT_MS = 3000

/** Sends the mails of the outbox. Several instances may run a worker on the same database. */
export function startDeliveryWorker(
  database: Database,
  transport: Transport,
  site: SiteIdentity,
  log: Log,
): DeliveryWorker {
  let isStopped = false
  let isWakeRequested = false
  let running: Promise<void> | undefined
  const inFlight = new Set<string>()
  const pollTimer = setInterval(wake, POLL_INTERVAL_MS)
  const renewalTimer = setInterval(renewLeases, LEASE_RENEWAL_MS)
  wake()

  function wake() {
    isWakeRequested = true
    if (isStopped) return
    running ??= run().finally(() => {
      running = undefined
      if (isWakeRequested) wake()
    })
  }

  async function run() {
    while (isWakeRequested && !isStopped) {
      isWakeRequested = false
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
      // RETURNING has no order.
      await Promise.all(mails.sort((a, b) => a.created_at - b.created_at).map(deliver))
      delivered ||= mails.length > 0
    } while (mails.length === MAX_CONNECTIONS && !isStopped)
    // A sent mail may have been the last row about a deleted account. Scrubbing removes its bytes from the database
    // files.
    if (delivered) await database.eraseDeletedContent()
  }

  /**
   * Takes leases on due mails in one statement, so that no two instances send the same mail. On PostgreSQL, `FOR UPDATE
   * SKIP LOCKED` skips rows that another instance is claiming. On SQLite, writers are serialized.
   */
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

  /** Extends the leases of mails in flight, so that no other instance sends them while the mail server is slow. */
  function renewLeases() {
    if (inFlight.size === 0) return
    database.query
      .updateTable('outbox')
      .set((eb) => ({ due_at: eb(database.now, '+', LEASE_MS) }))
      .where('id', 'in', [...inFlight])
      .execute()
      .catch((error) => log.error({ err: error }, 'could not renew the leases of the mails that are being sent'))
  }

  async function deliver(mail: Mail) {
    inFlight.add(mail.id)
    try {
      await transport.send({
        to: mail.recipient,
        subject: `${mail.subject} - ${site.title()}`,
        text: mail.text_body,
        html: mail.html_body,
      })
    } catch (error) {
      inFlight.delete(mail.id)
      return recordFailure(mail, error)
    }
    inFlight.delete(mail.id)
    await database.query.deleteFrom('outbox').where('id', '=', mail.id).execute()
  }

  async function recordFailure(mail: Mail, error: unknown) {
    const isFinal = isPermanent(error) || mail.attempts >= MAX_ATTEMPTS
    const backoffMs = BACKOFF_MS[Math.min(mail.attempts, BACKOFF_MS.length) - 1] ?? 0
    await database.query
      .updateTable('outbox')
      .set((eb) => ({
        last_error: String(error).slice(0, 500),
        ...(isFinal ? { failed_at: database.now } : { due_at: eb(database.now, '+', backoffMs) }),
      }))
      .where('id', '=', mail.id)
      .execute()
    if (isFinal)
      await database.query.deleteFrom('outbox').where('id', '=', mail.id).where(hasNoAccountOrInvitation).execute()
    const { id: mailId, attempts } = mail
    log.warn({ err: error, mailId, attempts }, isFinal ? 'gave up a mail' : 'will try a mail again')
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
      isStopped = true
      clearInterval(pollTimer)
      clearInterval(renewalTimer)
      // Shutdown does not wait for an unresponsive mail server. The mail is sent again after its lease has expired.
      await Promise.race([running, setTimeout(STOP_TIMEOUT_MS, undefined, { ref: false })])
      transport.close()
    },
  }
}
