import type { Config } from '../config/config.ts'
import { type Calendar, upToToday } from './calendar-days.ts'
import { askGithub } from './github.ts'
import type { Saved } from './saved.ts'

export interface CalendarSource {
  /** The calendar, at most an hour old when the code host answers; older when it does not. */
  current(): Promise<Calendar>
  /** What is known now, without asking anybody. */
  known(): Calendar | undefined
  /** Asks the code host if nothing is known, or what is known is old. Nobody waits for it. */
  renew(): void
}

/** The site's owner has not told whose contributions to show, or with which token. */
export class CalendarNotConfigured extends Error {}
/** The code host failed, and nothing is remembered. */
export class CalendarUnavailable extends Error {}

const MAX_AGE_MS = 60 * 60_000
// After a failure the code host is left alone for a while, so that a page view does not wait for it each time.
const RETRY_INTERVAL_MS = 60_000

const isOld = ({ fetchedAt }: { fetchedAt: number }) => Date.now() - fetchedAt > MAX_AGE_MS

/** The last good calendar is kept in the database: it outlives a restart and serves every instance. */
export function createCalendarSource(
  saved: Saved,
  config: Config['github'],
  on: { changed(): void; failed(error: unknown): void },
): CalendarSource {
  let boundedMemo: { calendar: Calendar; fetchedAt: number } | undefined
  let fetching: Promise<Calendar> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  // The calendar of somebody else must not pass for this one.
  const name = `contributions of ${config?.username} at ${config?.apiUrl}`

  /** One request at a time, however many are waiting for it, and none for a while after a failure. */
  async function refresh(github: NonNullable<Config['github']>): Promise<Calendar> {
    if (Date.now() - failedAt < RETRY_INTERVAL_MS) throw new CalendarUnavailable()
    fetching ??= takeOrAsk(github)
      .catch((error) => {
        failedAt = Date.now()
        on.failed(error)
        throw new CalendarUnavailable(undefined, { cause: error })
      })
      .finally(() => {
        fetching = undefined
      })
    return fetching
  }

  /** What another instance has asked for within the hour need not be asked for again. */
  async function takeOrAsk(github: NonNullable<Config['github']>): Promise<Calendar> {
    await recall()
    if (!boundedMemo || isOld(boundedMemo)) return remember(await askGithub(github))
    on.changed()
    return boundedMemo.calendar
  }

  function remember(calendar: Calendar): Calendar {
    boundedMemo = { calendar, fetchedAt: Date.now() }
    on.changed()
    // A database that is away keeps nobody from seeing it now.
    saved.write(name, calendar).catch(on.failed)
    return calendar
  }

  async function recall() {
    const row = await saved.read(name).catch(on.failed)
    const isNews = row && row.savedAt > (boundedMemo?.fetchedAt ?? 0)
    if (isNews) boundedMemo = { calendar: row.value as Calendar, fetchedAt: row.savedAt }
  }

  function renew() {
    if (config && (!boundedMemo || isOld(boundedMemo))) refresh(config).catch(() => {})
  }

  return {
    async current() {
      if (!config) throw new CalendarNotConfigured()
      if (!boundedMemo) await recall()
      renew()
      return upToToday(boundedMemo?.calendar ?? (await refresh(config)))
    },
    known: () => boundedMemo && upToToday(boundedMemo.calendar),
    renew,
  }
}
