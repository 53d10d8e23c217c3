const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** Without Intl, whose tables a start would load for these two forms. */
export function longDate(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** To the minute. */
export function longMoment(date: Date): string {
  return `${longDate(date)} at ${date.toISOString().slice(11, 16)} UTC`
}
