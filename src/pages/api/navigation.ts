import { type Html, html } from '../html.ts'
import { sideNav } from '../side-nav.ts'
import { methodBadge } from './method-badge.ts'

export interface NavigationGroup {
  name: string
  entries: { id: string; title: string; method?: string }[]
}

/** The contents of a reference. */
export function navigation(title: string, groups: NavigationGroup[]): Html {
  const lists = groups.map(({ name, entries }) => ({
    title: name,
    entries: entries.map(
      ({ id, title, method }) =>
        html`<a href="#${id}"><span>${title}</span>${method && html` ${methodBadge(method)}`}</a>`,
    ),
  }))
  return sideNav(
    title,
    'Contents',
    lists.filter(({ entries }) => entries.length > 0),
  )
}
