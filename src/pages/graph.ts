import type { Calendar, Day } from '../content/calendar-days.ts'
import { type Html, html } from './html.ts'

// In SVG user units.
const CELL = 12
const LEFT = 30
const TOP = 18
const LEGEND = 22
// Between a label and the right edge. Letters may be wider than their advance width by a fraction of a unit.
const MARGIN = 1
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * The contributions of a year as an SVG with one square a day and one column a week. `desc` is the text alternative.
 */
export function contributionGraph(calendar: Calendar, style?: Html): Html {
  const { data } = calendar
  const offset = data[0] ? weekday(data[0]) : 0
  const columns = Math.ceil((data.length + offset) / 7)
  const [width, bottom] = [LEFT + columns * CELL, TOP + 7 * CELL]
  const height = bottom + LEGEND
  return html`<svg xmlns="http://www.w3.org/2000/svg" class="graph" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="graph-title graph-text">
<title id="graph-title">${inThePastYear(calendar)}</title>
<desc id="graph-text">${summary(data)}</desc>
${style}
${monthLabels(data, offset, width)}
${legend(width, bottom + 8)}
${['Mon', 'Wed', 'Fri'].map((name, index) => html`<text x="0" y="${TOP + (2 * index + 1) * CELL + 9}">${name}</text>`)}
${data.map((day, index) => {
  const place = index + offset
  return html`<rect class="l${day.level}" x="${LEFT + Math.floor(place / 7) * CELL}" y="${TOP + (place % 7) * CELL}" width="10" height="10" rx="2"><title>${count(day.count)} on ${day.date}</title></rect>`
})}
</svg>`
}

/** The contributions by month: the accessible alternative to the graph. */
export function contributionMonths({ data }: Calendar): { month: string; count: number; busiest: Day }[] {
  const months = Map.groupBy(data, ({ date }) => date.slice(0, 7))
  return [...months].map(([month, days]) => ({
    month,
    count: days.reduce((sum, day) => sum + day.count, 0),
    busiest: days.reduce((best, day) => (day.count > best.count ? day : best)),
  }))
}

export function inThePastYear({ total }: Calendar): string {
  return `${count(total)} in the past year`
}

/** The name of a month is above its first whole week. Near the right edge it is right-aligned. */
function monthLabels(data: Day[], offset: number, width: number): Html[] {
  return data.flatMap((day, index) => {
    if (!day.date.endsWith('-01')) return []
    const x = LEFT + Math.floor((index + offset + 6) / 7) * CELL
    const place = x + 2 * CELL > width ? html`x="${width - MARGIN}" text-anchor="end"` : html`x="${x}"`
    return [html`<text ${place} y="11">${MONTHS[Number(day.date.slice(5, 7)) - 1]}</text>`]
  })
}

function legend(width: number, y: number): Html {
  const left = width - 31 - 5 * CELL
  return html`<text x="${left - 5}" y="${y + 9}" text-anchor="end">Less</text>
${[0, 1, 2, 3, 4].map((level) => html`<rect class="l${level}" x="${left + level * CELL}" y="${y}" width="10" height="10" rx="2"/>`)}
<text x="${width - MARGIN}" y="${y + 9}" text-anchor="end">More</text>`
}

function summary(data: Day[]): string {
  const active = data.filter((day) => day.count > 0)
  const busiest = active.reduce<Day | undefined>(
    (best, day) => (best && best.count >= day.count ? best : day),
    undefined,
  )
  if (!busiest) return 'No contributions in this time.'
  return `Contributions on ${active.length} of ${data.length} days; the most on ${busiest.date}: ${busiest.count}.`
}

function count(number: number): string {
  return number === 1 ? '1 contribution' : `${number.toLocaleString('en')} contributions`
}

function weekday({ date }: Day): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay()
}
