import { type Html, html } from './html.ts'

const LONG = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

export function longDate(date: Date): string {
  return LONG.format(date)
}

export function time(date: Date): Html {
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${longDate(date)}</time>`
}
