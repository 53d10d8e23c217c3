import type { Config } from '../config/config.ts'
import { HOUR_MS } from '../lib/dates.ts'
import { type Calendar, upToToday } from './calendar-days.ts'
import { fetchCalendar } from './github.ts'
import type { Saved } from './saved-content.ts'

export interface CalendarSource {
  /**
   * The calendar in memory or in the database, or else from the code host. A calendar that is older than an hour is
   * returned at once, and renewed for later calls.
   */
  current(): Promise<Calendar>
  /** The calendar in memory. Sends no request. */
  known(): Calendar | undefined
  /** Starts a request to the code host if there is no calendar in memory or it is older than an hour. Does not wait. */
  renew(): void
}

/** GITHUB_USERNAME or GITHUB_TOKEN is not set. */
export class CalendarNotConfigured extends Error {}
/** The code host failed, and no calendar is cached. */
export class CalendarUnavailable extends Error {}

const MAX_AGE_MS = HOUR_MS
// No request is sent for this time after a failure, so that not every page view waits for the code host.
const RETRY_INTERVAL_MS = 60_000

const isOld = ({ fetchedAt }: { fetchedAt: number }) => Date.now() - fetchedAt > MAX_AGE_MS

/**
 * Caches the last calendar of a successful response in memory and in the database, where it survives a restart and is
 * shared by instances.
 */
export function createCalendarSource(
  saved: Saved,
  config: Config['github'],
  on: { changed(): void; failed(error: unknown): void },
): CalendarSource {
  let cached: { calendar: Calendar; fetchedAt: number } | undefined
  let fetching: Promise<Calendar> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  // The key names user and host, so that a changed setting does not load another user's calendar.
  const name = `contributions of ${config?.username} at ${config?.apiUrl}`

  /** Concurrent callers share one request. Rejects without a request for RETRY_INTERVAL_MS after a failure. */
  async function refresh(github: NonNullable<Config['github']>): Promise<Calendar> {
    if (Date.now() - failedAt < RETRY_INTERVAL_MS) throw new CalendarUnavailable()
    fetching ??= loadOrFetch(github)
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

  /** Takes the calendar from the database if another instance has stored one within the hour, else fetches it. */
  async function loadOrFetch(github: NonNullable<Config['github']>): Promise<Calendar> {
    await loadSaved()
    if (!cached || isOld(cached)) return store(await fetchCalendar(github))
    on.changed()
    return cached.calendar
  }

  function store(calendar: Calendar): Calendar {
    cached = { calendar, fetchedAt: Date.now() }
    on.changed()
    // The calendar is served from memory even if the database is unavailable.
    saved.write(name, calendar).catch(on.failed)
    return calendar
  }

  async function loadSaved() {
    const row = await saved.read(name).catch(on.failed)
    const isNewer = row && row.savedAt > (cached?.fetchedAt ?? 0)
    if (isNewer) cached = { calendar: row.value as Calendar, fetchedAt: row.savedAt }
  }

  function renew() {
    if (config && (!cached || isOld(cached))) refresh(config).catch(() => {})
  }

  return {
    async current() {
      if (!config) throw new CalendarNotConfigured()
      if (!cached) await loadSaved()
      renew()
      return upToToday(cached?.calendar ?? (await refresh(config)))
    },
    known: () => cached && upToToday(cached.calendar),
    renew,
  }
}
