import { type Html, html } from './html.ts'

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** Without Intl, whose tables a start would load for this one form. */
export function longDate(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

export function time(date: Date): Html {
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${longDate(date)}</time>`
}

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** To the minute; where scripts run, they say how long ago it was. */
export function moment(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${MOMENT.format(date)} UTC</time>`
}
