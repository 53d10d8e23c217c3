import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import type { Log } from '../logging/log.ts'

export interface Activity {
  /** Marks a session as active now. The write follows within a second. */
  touch(sessionId: string): void
  /** Writes the sessions that are marked. */
  flush(): Promise<void>
  /** Writes the sessions that are marked. When that write fails, their activity is lost. */
  stop(): Promise<void>
}

// A crash may lose at most one second of activity, so the write starts before that.
const WRITE_DELAY_MS = 900
const MAX_IDS_PER_STATEMENT = 200

/**
 * Writes `last_active_at` of up to 200 sessions in one statement, about once a second, so that a request that only
 * reads causes no write.
 */
export function createActivity(database: Database, log: Log): Activity {
  // On SQLite, this statement waits for no fsync: a power cut undoes the activity since the last fsync of another
  // write.
  const write = database.prepare(
    (query, sessionIds: Arg<string>) =>
      query
        .updateTable('sessions')
        .set({ last_active_at: database.now })
        .where(database.isAmong('id', sessionIds))
        .where('revoked_at', 'is', null),
    { relaxedDurability: ['sqlite'] },
  )
  let activeIds = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let isStopped = false

  async function flush() {
    clearTimeout(timer)
    timer = undefined
    const ids = [...activeIds]
    activeIds = new Set()
    for (let start = 0; start < ids.length; start += MAX_IDS_PER_STATEMENT) {
      try {
        await write(JSON.stringify(ids.slice(start, start + MAX_IDS_PER_STATEMENT)))
      } catch (error) {
        for (const id of ids.slice(start)) touch(id)
        throw error
      }
    }
  }

  function touch(sessionId: string) {
    activeIds.add(sessionId)
    if (isStopped) return
    timer ??= setTimeout(() => {
      writing = writing.then(flush).catch(logError)
    }, WRITE_DELAY_MS)
  }

  async function stop() {
    isStopped = true
    // When the write in progress fails, it marks its sessions again, and the final flush writes them.
    await writing
    await flush().catch(logError)
  }

  function logError(error: unknown) {
    log.error({ err: error }, 'could not write session activity')
  }

  return { touch, flush, stop }
}
