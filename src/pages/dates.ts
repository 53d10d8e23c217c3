import { longDate, longMoment } from '../lib/dates.ts'
import { type Html, html } from './html.ts'

export function time(date: Date): Html {
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${longDate(date)}</time>`
}

/** The script `relative-times` replaces the text by a relative time. */
export function moment(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${longMoment(date)}</time>`
}
