import { longDate, longMoment } from '../lib/dates.ts'
import { type Html, html } from './html.ts'

export function time(date: Date): Html {
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${longDate(date)}</time>`
}

/** Where scripts run, they say how long ago it was. */
export function moment(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${longMoment(date)}</time>`
}
