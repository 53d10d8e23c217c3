import { type Observation, ok, warning } from './finding.ts'
import { needsTables } from './needs-tables.ts'

const LONG_WAIT_MINUTES = 15

/** Mails that were not delivered. */
export const checkOutbox = needsTables(async (database) => {
  const { failed, waiting, oldest, now } = await database.query
    .selectFrom('outbox')
    .select(({ fn, eb }) => [
      fn.count<number>('failed_at').as('failed'),
      eb(fn.countAll<number>(), '-', fn.count<number>('failed_at')).as('waiting'),
      fn.min(eb.case().when('failed_at', 'is', null).then(eb.ref('created_at')).end()).as('oldest'),
      database.now.as('now'),
    ])
    .executeTakeFirstOrThrow()
  const minutes = oldest === null ? 0 : Math.floor((now - oldest) / 60_000)
  const observations: Observation[] = []
  if (failed > 0) {
    observations.push(
      warning(
        `${failed} ${failed === 1 ? 'mail has' : 'mails have'} failed permanently`,
        '"portico mail list --failed" tells why, and "portico mail retry" tries them again.',
      ),
    )
  }
  if (minutes >= LONG_WAIT_MINUTES) {
    observations.push(
      warning(
        `${waiting} ${waiting === 1 ? 'mail waits' : 'mails wait'} for delivery, the oldest for ${minutes} minutes`,
        'Does the service run? "portico mail list" has the last error of each.',
      ),
    )
  }
  return observations.length > 0 ? observations : [ok(`${waiting} waiting, none failed`)]
})
