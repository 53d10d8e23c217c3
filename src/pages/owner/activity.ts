import type { readHealth } from '../../owner/read-health.ts'
import { type Html, html } from '../html.ts'
import { type Bar, barChart, largestOf, summaryOf, totalOf } from './chart.ts'
import type { DataOf } from './page.ts'

export type Health = DataOf<typeof readHealth>

const SERIES = {
  signUps: 'Sign-ups',
  logIns: 'Log-ins',
} as const satisfies Partial<Record<keyof Health['days'][number], string>>
const NAMES = Object.keys(SERIES) as (keyof typeof SERIES)[]

/** Sign-ups and log-ins of the last 30 days, a card with a chart for each. */
export function activityCards({ days }: Health): Html {
  return html`<div class="pair-of-cards">${NAMES.map((name) => {
    const bars = barsOf(days, name)
    return html`<section class="card" aria-labelledby="${name}">
<h2 id="${name}">${SERIES[name]}</h2>
<p class="figure">${format(totalOf(bars))} <span>in 30 days, ${format(bars.at(-1)?.count ?? 0)} today</span></p>
${barChart(`chart-${name}`, `${SERIES[name]} by day`, bars)}
<p class="ends"><span>${bars[0]?.day}</span> <span>at most ${format(largestOf(bars))} in a day</span> <span>${bars.at(-1)?.day}</span></p>
</section>
`
  })}</div>`
}

/** The same counts as a table, which also readers of a screen can go through. The newest day is the first. */
export function activityTable({ days }: Health): Html {
  return html`<details class="by-day"><summary>Numbers by day</summary>
<table class="figures">
<caption class="unseen">Sign-ups and log-ins by day, in UTC</caption>
<thead><tr><th scope="col">Day</th>${NAMES.map((name) => html`<th scope="col" class="right">${SERIES[name]}</th>`)}</tr></thead>
<tbody>
${days.toReversed().map(
  (
    day,
  ) => html`<tr><th scope="row">${day.day}</th>${NAMES.map((name) => html`<td class="right">${format(day[name])}</td>`)}</tr>
`,
)}</tbody>
</table></details>`
}

export function activityInMarkdown({ days }: Health): string {
  const rows = days.toReversed().map(({ day, signUps, logIns }) => `| ${day} | ${signUps} | ${logIns} |`)
  return [
    ...NAMES.map((name) => `- ${SERIES[name]}: ${summaryOf(barsOf(days, name))}`),
    '',
    '| day | sign-ups | log-ins |',
    '|---|---|---|',
    ...rows,
  ].join('\n')
}

function barsOf(days: Health['days'], name: keyof typeof SERIES): Bar[] {
  return days.map((day) => ({ day: day.day, count: day[name] }))
}

/** Such as "1,234". */
export function format(count: number): string {
  return count.toLocaleString('en-US')
}
