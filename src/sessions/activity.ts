import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import type { Log } from '../logging/log.ts'

export interface Activity {
  /** Notes that a session was used just now. */
  touch(sessionId: string): void
  flush(): Promise<void>
  /** Writes what is left. What cannot be written then is lost. */
  stop(): Promise<void>
}

// A crash may cost one second of activity, so the write is under way before that.
const WRITE_DELAY_MS = 900
const MAX_IDS_PER_STATEMENT = 200

/** Writes the sessions used within a second in one statement, so that reading a profile does not cost a write. */
export function createActivity(database: Database, log: Log): Activity {
  // Not worth a flush of its own: a power cut costs what came after the last write that had one.
  const write = database.prepare(
    (query, sessionIds: Arg<string>) =>
      query
        .updateTable('sessions')
        .set({ last_active_at: database.now })
        .where(database.isAmong('id', sessionIds))
        .where('revoked_at', 'is', null),
    { hasRelaxedDurability: true },
  )
  let used = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let isStopped = false

  async function flush() {
    clearTimeout(timer)
    timer = undefined
    const ids = [...used]
    used = new Set()
    for (let at = 0; at < ids.length; at += MAX_IDS_PER_STATEMENT) {
      try {
        await write(JSON.stringify(ids.slice(at, at + MAX_IDS_PER_STATEMENT)))
      } catch (error) {
        for (const id of ids.slice(at)) touch(id)
        throw error
      }
    }
  }

  function touch(sessionId: string) {
    used.add(sessionId)
    if (isStopped) return
    timer ??= setTimeout(() => {
      writing = writing.then(flush).catch(tell)
    }, WRITE_DELAY_MS)
  }

  async function stop() {
    isStopped = true
    // A write under way that fails leaves its sessions to the last one.
    await writing
    await flush().catch(tell)
  }

  function tell(error: unknown) {
    log.error({ err: error }, 'could not write session activity')
  }

  return { touch, flush, stop }
}
