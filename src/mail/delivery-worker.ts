import { type Selectable, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type LeaseWorker, startLeaseWorker } from '../database/lease-worker.ts'
import type { OutboxTable } from '../database/tables.ts'
import type { Log } from '../logging/log.ts'
import { hasNoAccountOrInvitation } from './outbox.ts'
import type { SiteIdentity } from './site-identity.ts'
import { isPermanent, MAX_CONNECTIONS, type Transport } from './transport.ts'

export interface DeliveryWorker extends LeaseWorker {
  /** Logs an error if the mail server cannot be reached or refuses the log-in. */
  check(): Promise<void>
}

type Mail = Selectable<OutboxTable>

const BACKOFF_MS = [10_000, 30_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000]
const MAX_ATTEMPTS = 30

/** Sends the mails of the outbox. Several instances may run a worker on the same database. */
export function startDeliveryWorker(
  database: Database,
  transport: Transport,
  site: SiteIdentity,
  log: Log,
): DeliveryWorker {
  const { query, now } = database
  const worker = startLeaseWorker(database, log, {
    table: 'outbox',
    title: 'the outbox',
    concurrency: MAX_CONNECTIONS,
    isDeliverable: sql`failed_at is null`,
    beforeClaim: () =>
      query.deleteFrom('outbox').where('expires_at', '<=', now).where('failed_at', 'is', null).execute(),
    send: (mail) =>
      transport.send({
        to: mail.recipient,
        subject: `${mail.subject} - ${site.title()}`,
        text: mail.text_body,
        html: mail.html_body,
      }),
    markSent: (mail) => query.deleteFrom('outbox').where('id', '=', mail.id).execute(),
    markFailed: recordFailure,
  })

  async function recordFailure(mail: Mail, error: unknown) {
    const isFinal = isPermanent(error) || mail.attempts >= MAX_ATTEMPTS
    const backoffMs = BACKOFF_MS[Math.min(mail.attempts, BACKOFF_MS.length) - 1] ?? 0
    await query
      .updateTable('outbox')
      .set((eb) => ({
        last_error: String(error).slice(0, 500),
        ...(isFinal ? { failed_at: now } : { due_at: eb(now, '+', backoffMs) }),
      }))
      .where('id', '=', mail.id)
      .execute()
    if (isFinal) await query.deleteFrom('outbox').where('id', '=', mail.id).where(hasNoAccountOrInvitation).execute()
    const { id: mailId, attempts } = mail
    log.warn({ err: error, mailId, attempts }, isFinal ? 'gave up a mail' : 'will try a mail again')
  }

  return {
    ...worker,
    async check() {
      try {
        await transport.check?.()
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        log.error(`mail cannot be sent, and waits: ${reason}`)
      }
    },
    async stop() {
      await worker.stop()
      transport.close()
    },
  }
}
