const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** Without Intl, whose tables a start would load for these two forms. */
export function longDate(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** To the minute. */
export function longMoment(date: Date): string {
  return `${longDate(date)} at ${date.toISOString().slice(11, 16)} UTC`
}

const DAY = 24 * 60 * 60 * 1000
const MAX_CACHED_DAYS = 4096
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'))
const days = new Map<number, string>()

/** What `toISOString` gives for whole milliseconds, in a fraction of its time: every answer has one. */
export function isoTime(milliseconds: number): string {
  const day = Math.floor(milliseconds / DAY)
  const inDay = milliseconds - day * DAY
  const seconds = Math.floor(inDay / 1000)
  const minutes = Math.floor(seconds / 60)
  const time = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`
  return `${dateOf(day)}T${time}.${THREE_DIGITS[inDay - seconds * 1000]}Z`
}

function dateOf(day: number): string {
  const known = days.get(day)
  if (known) return known
  if (days.size >= MAX_CACHED_DAYS) days.clear()
  const date = new Date(day * DAY).toISOString().slice(0, -'T00:00:00.000Z'.length)
  days.set(day, date)
  return date
}
