import type { Config } from '../config.ts'
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

const FRESH = 60 * 60_000
// After a failure the code host is left alone for a while, so that a page view does not wait for it each time.
const PAUSE_AFTER_FAILURE = 60_000

const isOld = ({ fetchedAt }: { fetchedAt: number }) => Date.now() - fetchedAt > FRESH

/** The last good calendar is kept in the database: it outlives a restart and serves every instance. */
export function createCalendarSource(
  saved: Saved,
  config: Config['github'],
  on: { changed(): void; failed(error: unknown): void },
): CalendarSource {
  let remembered: { calendar: Calendar; fetchedAt: number } | undefined
  let fetching: Promise<Calendar> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  // The calendar of somebody else must not pass for this one.
  const name = `contributions of ${config?.username} at ${config?.apiUrl}`

  /** One request at a time, however many are waiting for it, and none for a while after a failure. */
  async function refresh(github: NonNullable<Config['github']>): Promise<Calendar> {
    if (Date.now() - failedAt < PAUSE_AFTER_FAILURE) throw new CalendarUnavailable()
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
    if (!remembered || isOld(remembered)) return remember(await askGithub(github))
    on.changed()
    return remembered.calendar
  }

  function remember(calendar: Calendar): Calendar {
    remembered = { calendar, fetchedAt: Date.now() }
    on.changed()
    // A database that is away keeps nobody from seeing it now.
    saved.write(name, calendar).catch(on.failed)
    return calendar
  }

  async function recall() {
    const row = await saved.read(name).catch(on.failed)
    const isNews = row && row.savedAt > (remembered?.fetchedAt ?? 0)
    if (isNews) remembered = { calendar: row.value as Calendar, fetchedAt: row.savedAt }
  }

  function renew() {
    if (config && (!remembered || isOld(remembered))) refresh(config).catch(() => {})
  }

  return {
    async current() {
      if (!config) throw new CalendarNotConfigured()
      if (!remembered) await recall()
      renew()
      return upToToday(remembered?.calendar ?? (await refresh(config)))
    },
    known: () => remembered && upToToday(remembered.calendar),
    renew,
  }
}
