export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** Such as "16 November 2026". `Intl` would do the same, but loads its tables at start. */
export function longDate(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** Such as "16 November 2026 at 09:30 UTC". */
export function longMoment(date: Date): string {
  return `${longDate(date)} at ${date.toISOString().slice(11, 16)} UTC`
}

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

export function isoTimeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds)
}
