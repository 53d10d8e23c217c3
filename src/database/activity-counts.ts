import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { DAY_MS, isoTime } from '../lib/dates.ts'
import type { Database } from './database.ts'
import type { SecurityEventType } from './security-event-types.ts'

export interface Day {
  /** Such as "2026-11-17", in UTC. */
  day: string
  signUps: number
  logIns: number
}

const PERIOD_MS = 15 * 60_000
const PERIODS_OF_A_DAY = DAY_MS / PERIOD_MS
const SHOWN_DAYS = 30
const KEPT_PERIODS = 90 * PERIODS_OF_A_DAY
// A transaction may commit up to MAX_COMMIT_DELAY_MS after its events' timestamps, so a period is counted that much
// later.
const MAX_COMMIT_DELAY_MS = 60_000
// The current period, and at most MAX_LIVE_PERIODS before it, are counted on read: housekeeping may still be catching
// up after an upgrade.
const MAX_LIVE_PERIODS = 4

const isOneOf = (types: SecurityEventType[]) => sql`type in (${sql.join(types.map((type) => sql.lit(type)))})`
const SIGN_UPS = sql<number>`count(case when ${isOneOf(['account.created', 'account.created-by-owner'])} then 1 end)`
const LOG_INS = sql<number>`count(case when ${isOneOf(['session.started'])} then 1 end)`

/** The number of the period of 15 minutes that a time is in. */
function periodAt(time: RawBuilder<number>): RawBuilder<number> {
  return sql<number>`${time} / ${sql.lit(PERIOD_MS)}`
}

/** Selects the counts to delete: old ones, and those of future periods, which a clock that was ahead has made. */
export function isDeletablePeriod({ now }: Pick<Database, 'now'>): RawBuilder<SqlBool> {
  return sql`period < ${periodAt(now)} - ${KEPT_PERIODS} or period >= ${periodAt(now)}`
}

/**
 * Counts the sign-ups and log-ins of each period that has ended and was not counted. Several instances may do this at
 * the same time: each period has one row, which never changes.
 */
export async function countActivity(database: Database, stopping?: AbortSignal): Promise<void> {
  const { now, last, first } = await readPosition(database)
  const end = Math.floor((now - MAX_COMMIT_DELAY_MS) / PERIOD_MS)
  const begin = last !== null ? last + 1 : first === null ? end : Math.floor(first / PERIOD_MS)
  for (let period = Math.max(begin, end - KEPT_PERIODS); period < end && !stopping?.aborted; period++) {
    await sql`insert into activity_counts (period, sign_ups, log_ins)
      select cast(${period} as integer), ${SIGN_UPS}, ${LOG_INS} from security_events
      where created_at >= ${period * PERIOD_MS} and created_at < ${(period + 1) * PERIOD_MS}
      on conflict do nothing`.execute(database.query)
  }
}

/** The sign-ups and log-ins of the last 30 days in UTC, the oldest first. The cost does not depend on their number. */
export async function readActivity(database: Database): Promise<Day[]> {
  const { now, last } = await readPosition(database)
  const today = Math.floor(now / DAY_MS)
  const firstDay = today - SHOWN_DAYS + 1
  const counted = sql<Row>`select period / ${sql.lit(PERIODS_OF_A_DAY)} as day, sum(sign_ups) as "signUps",
      sum(log_ins) as "logIns"
    from activity_counts where period >= ${firstDay * PERIODS_OF_A_DAY} group by 1`
  const livePeriod = Math.max((last ?? 0) + 1, Math.floor(now / PERIOD_MS) - MAX_LIVE_PERIODS)
  const live = sql<Row>`select created_at / ${sql.lit(DAY_MS)} as day, ${SIGN_UPS} as "signUps", ${LOG_INS} as "logIns"
    from security_events where created_at >= ${livePeriod * PERIOD_MS} group by 1`
  const rows = [...(await counted.execute(database.query)).rows, ...(await live.execute(database.query)).rows]
  return Array.from({ length: SHOWN_DAYS }, (_, index) => {
    const ofDay = rows.filter(({ day }) => day === firstDay + index)
    return {
      day: isoTime((firstDay + index) * DAY_MS).slice(0, 'yyyy-mm-dd'.length),
      signUps: ofDay.reduce((total, { signUps }) => total + signUps, 0),
      logIns: ofDay.reduce((total, { logIns }) => total + logIns, 0),
    }
  })
}

type Row = Omit<Day, 'day'> & { day: number }

async function readPosition({ query, now }: Database) {
  return query
    .selectNoFrom((eb) => [
      now.as('now'),
      eb
        .selectFrom('activity_counts')
        .select((eb) => eb.fn.max('period').as('period'))
        // A clock that was ahead has counted periods that have not begun.
        .where('period', '<', periodAt(now))
        .as('last'),
      eb
        .selectFrom('security_events')
        .select((eb) => eb.fn.min('created_at').as('created_at'))
        .as('first'),
    ])
    .executeTakeFirstOrThrow()
}
