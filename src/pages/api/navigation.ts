import { type Html, html } from '../html.ts'
import { methodBadge } from './method-badge.ts'

export interface NavigationGroup {
  name: string
  entries: { id: string; title: string; method?: string }[]
}

/**
 * The contents of a reference: folded for narrow screens, and unfolded for wide ones, where the style sheet hides the
 * other one. Not all browsers can unfold `details` by style.
 */
export function navigation(title: string, groups: NavigationGroup[]): Html {
  const filled = groups.filter(({ entries }) => entries.length > 0)
  const lists = filled.map(
    ({ name, entries }) => html`<h2>${name}</h2>
<ul>${entries.map(({ id, title, method }) => html`<li><a href="#${id}"><span>${title}</span>${method && html` ${methodBadge(method)}`}</a></li>`)}</ul>
`,
  )
  return html`<nav class="api-nav" aria-label="${title}">
<details><summary>Contents</summary>
${lists}</details>
<div class="unfolded">
${lists}</div>
</nav>`
}
