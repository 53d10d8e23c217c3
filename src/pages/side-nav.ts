import { type Html, html } from './html.ts'

/**
 * A navigation beside the text: folded for narrow screens, and unfolded for wide ones, where the style sheet hides the
 * other one. Not all browsers can unfold `details` by style.
 */
export function sideNav(label: string, summary: string, lists: { title: string; entries: Html[] }[]): Html {
  const content = lists.map(
    ({ title, entries }) => html`<h2 dir="auto">${title}</h2>
<ul>${entries.map((entry) => html`<li>${entry}</li>`)}</ul>
`,
  )
  return html`<nav class="side-nav" aria-label="${label}">
<details><summary>${summary}</summary>
${content}</details>
<div class="unfolded">
${content}</div>
</nav>`
}
