import { setImmediate } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { DAY_MS } from '../lib/dates.ts'
import type { Log } from '../logging/log.ts'
import { lockUser } from '../sessions/lock-user.ts'

type RefusedProof = 'log-in.failed' | 'password.refused' | 'identity.refused' | 'second-factor.failed'

export interface RefusedProofs {
  /** Records a wrong password, code or other refused proof for an account, after the response. */
  record(type: RefusedProof, userId: string, clientInfo: ClientInfo, sessionId?: string): void
  /** Resolves when all events that were recorded before this call are written. */
  idle(): Promise<void>
  /** Writes the queued events until the first error, so that an unreachable database does not delay the shutdown. */
  stop(): Promise<void>
}

// Per account and type. Enough events to warn the account holder, and too few to hide others in the list of security
// events.
const MAX_EVENTS_A_DAY = 5
// When the queue is full, further events are dropped. This bounds the memory that password guessing can use.
const MAX_QUEUED = 1000

/**
 * Records wrong passwords and codes after the response has been sent, one event at a time. An unknown account has no
 * event, so a write before the response would reveal by its time whether an account exists. A crash loses the queued
 * events.
 */
export function createRefusedProofs(database: Database, log: Log): RefusedProofs {
  const { now } = database
  let queued = 0
  let lastWrite = Promise.resolve()
  let isStopping = false
  let hasFailedWhileStopping = false

  async function write(type: RefusedProof, userId: string, clientInfo: ClientInfo, sessionId: string | undefined) {
    await database.transaction(async (tx) => {
      // The row lock of the account makes the count exact across instances.
      if (!(await lockUser(tx, { id: userId }))) return
      const { recorded } = await tx
        .selectFrom('security_events')
        .select((eb) => eb.fn.countAll<number>().as('recorded'))
        .where('user_id', '=', userId)
        .where('type', '=', type)
        .where((eb) => eb('created_at', '>', eb(now, '-', DAY_MS)))
        .executeTakeFirstOrThrow()
      if (recorded >= MAX_EVENTS_A_DAY) return
      await recordEvent(tx, now, { type, userId, clientInfo, ...(sessionId && { sessionId }) })
    })
  }

  return {
    record(type, userId, clientInfo, sessionId) {
      if (queued >= MAX_QUEUED) return
      queued++
      lastWrite = lastWrite
        // The response is written in the iteration of the event loop that refuses the password, so this runs after it.
        .then(() => setImmediate())
        .then(() => (hasFailedWhileStopping ? undefined : write(type, userId, clientInfo, sessionId)))
        .catch((error) => {
          hasFailedWhileStopping = isStopping
          log.error({ err: error }, 'could not record a wrong password')
        })
        .finally(() => {
          queued--
        })
    },
    idle: () => lastWrite,
    stop() {
      isStopping = true
      return lastWrite
    },
  }
}
