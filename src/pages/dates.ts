import { type Html, html } from './html.ts'

const LONG = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

export function longDate(date: Date): string {
  return LONG.format(date)
}

export function time(date: Date): Html {
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${longDate(date)}</time>`
}

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** To the minute; where scripts run, they say how long ago it was. */
export function moment(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${MOMENT.format(date)} UTC</time>`
}
