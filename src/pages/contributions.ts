import type { Calendar } from '../content/calendar-days.ts'
import { contributionGraph, contributionMonths, inThePastYear } from './graph.ts'
import { type Html, html } from './html.ts'

/** The section of the home page with the contributions of the past year. */
export function contributions(calendar: Calendar): Html {
  return html`<section class="card contributions">
<h2 id="contributions">${inThePastYear(calendar)}</h2>
<div class="graph-box" tabindex="0" role="region" aria-labelledby="contributions">${contributionGraph(calendar)}</div>
<details><summary>By month</summary>
<table><thead><tr><th scope="col">Month</th><th scope="col">Contributions</th><th scope="col">Busiest day</th></tr></thead>
<tbody>${contributionMonths(calendar).map(({ month, count, busiest }) => html`<tr><td>${month}</td><td>${count}</td><td>${busiest.count > 0 && `${busiest.date} (${busiest.count})`}</td></tr>`)}</tbody></table>
</details>
</section>`
}

/** The same as markdown. */
export function contributionsInWords(calendar: Calendar): string {
  const rows = contributionMonths(calendar).map(({ month, count }) => `| ${month} | ${count} |`)
  return `## ${inThePastYear(calendar)}\n\n| month | contributions |\n|---|---|\n${rows.join('\n')}`
}
