import { setImmediate } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { Log } from '../logging/log.ts'
import type { Origin } from './client-info.ts'
import { lockUser } from './lock-user.ts'
import { recordEvent } from './security-events.ts'

export type FailedPassword = 'log-in.failed' | 'password.refused'

export interface FailedPasswords {
  /** Records a wrong password for an account, after the response. */
  record(type: FailedPassword, userId: string, origin: Origin, sessionId?: string): void
  /** Resolves when everything recorded so far is written. */
  idle(): Promise<void>
  /** Writes what is left, up to the first write that fails: a database that is gone must not hold up the stop. */
  stop(): Promise<void>
}

// An account's timeline keeps so many of each kind a day: enough to warn its owner, too few to bury anything else.
const MAX_EVENTS_A_DAY = 5
const DAY_MS = 24 * 60 * 60_000
/** Beyond this many waiting events, further ones are dropped: guessing must not fill the memory. */
const MAX_QUEUED = 1000

/**
 * Writes the event of a wrong password after the response has been sent, one at a time. An unknown account has no event,
 * and the time of the response must not tell which it was. A crash may lose what is not yet written.
 */
export function createFailedPasswords(database: Database, log: Log): FailedPasswords {
  const { now } = database
  let waiting = 0
  let writing = Promise.resolve()
  let isStopping = false
  let isGivenUp = false

  async function write(type: FailedPassword, userId: string, origin: Origin, sessionId: string | undefined) {
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
      if (Number(recorded) >= MAX_EVENTS_A_DAY) return
      await recordEvent(tx, now, { type, userId, origin, ...(sessionId && { sessionId }) })
    })
  }

  return {
    record(type, userId, origin, sessionId) {
      if (waiting >= MAX_QUEUED) return
      waiting++
      writing = writing
        // The response is written in the turn of the event loop that refuses the password.
        .then(() => setImmediate())
        .then(() => (isGivenUp ? undefined : write(type, userId, origin, sessionId)))
        .catch((error) => {
          isGivenUp = isStopping
          log.error({ err: error }, 'could not record a wrong password')
        })
        .finally(() => {
          waiting--
        })
    },
    idle: () => writing,
    stop() {
      isStopping = true
      return writing
    },
  }
}
