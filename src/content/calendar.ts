import type { Config } from '../config.ts'
import { type Calendar, upToToday } from './calendar-days.ts'
import { askGithub } from './github.ts'
import type { Saved } from './saved.ts'

export interface CalendarSource {
  /** The calendar, at most an hour old when the code host answers; older when it does not. */
  current(): Promise<Calendar>
  /** What is known now, without asking anybody. */
  known(): Calendar | undefined
}

/** The site's owner has not told whose contributions to show, or with which token. */
export class CalendarNotConfigured extends Error {}
/** The code host failed, and nothing is remembered. */
export class CalendarUnavailable extends Error {}

const FRESH = 60 * 60_000
// After a failure the code host is left alone for a while, so that a page view does not wait for it each time.
const PAUSE_AFTER_FAILURE = 60_000

/** The last good calendar is kept in the database: it outlives a restart and serves every instance. */
export function createCalendarSource(
  saved: Saved,
  config: Config['github'],
  on: { changed(): void; failed(error: unknown): void },
): CalendarSource {
  let remembered: { calendar: Calendar; fetchedAt: number } | undefined
  let fetching: Promise<Calendar> | undefined
  let failedAt = 0

  /** One request at a time, however many are waiting for it. */
  function refresh(github: NonNullable<Config['github']>): Promise<Calendar> {
    fetching ??= askGithub(github)
      .then(async (calendar) => {
        await remember(calendar)
        return calendar
      })
      .catch((error) => {
        failedAt = Date.now()
        on.failed(error)
        throw error
      })
      .finally(() => {
        fetching = undefined
      })
    return fetching
  }

  async function remember(calendar: Calendar) {
    remembered = { calendar, fetchedAt: Date.now() }
    on.changed()
    await saved.write('contributions', calendar)
  }

  async function recall() {
    const row = await saved.read('contributions')
    if (row) remembered = { calendar: row.value as Calendar, fetchedAt: row.savedAt }
  }

  return {
    async current() {
      if (!config) throw new CalendarNotConfigured()
      if (!remembered) await recall()
      const isPaused = Date.now() - failedAt < PAUSE_AFTER_FAILURE
      if (remembered) {
        const isStale = Date.now() - remembered.fetchedAt > FRESH
        if (isStale && !isPaused) refresh(config).catch(() => {})
        return upToToday(remembered.calendar)
      }
      try {
        return upToToday(await refresh(config))
      } catch (cause) {
        throw new CalendarUnavailable(undefined, { cause })
      }
    },
    known: () => remembered && upToToday(remembered.calendar),
  }
}
