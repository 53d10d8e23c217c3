import type { listPeople } from '../../owner/list-people.ts'
import type { PEOPLE_FILTERS } from '../../owner/people-filters.ts'
import { type Html, html } from '../html.ts'
import { icon } from '../icons.ts'
import { DESK_PATH, markdownPath } from '../layout.ts'
import { NEW_PERSON_PATH } from './new-person.ts'
import type { DataOf, DeskPage } from './page.ts'
import { addressWith, askedIn, pager } from './pager.ts'
import type { DeskParts } from './parts.ts'
import {
  chosen,
  chosenInMarkdown,
  nameOf,
  personLink,
  type ShownPerson,
  shortDate,
  stateBadge,
  stateOf,
} from './shown-values.ts'

const CALL = 'GET /api/owner/people'
const PARAMETERS = ['search', 'filter', 'order', 'limit', 'after'] as const
const MAX_SEARCH_CHARACTERS = 100
const FILTERS: Record<(typeof PEOPLE_FILTERS)[number], string> = {
  all: 'Everybody',
  owners: 'Owners',
  suspended: 'Suspended',
  unverified: 'Not verified',
}

type People = DataOf<typeof listPeople>
type Asked = ReturnType<typeof askedIn<(typeof PARAMETERS)[number]>>

export function peoplePage({ clock }: DeskParts): DeskPage {
  return {
    path: DESK_PATH,
    tab: DESK_PATH,
    description: 'The people of the site, with search and filters.',
    calls: [CALL],
    scripts: [],
    async read({ perform, query }) {
      const asked = askedIn(query, PARAMETERS)
      const { people, next } = await perform<People>(CALL, asked)
      const nowMs = clock.now()
      return {
        title: 'People',
        main: () => html`<div class="desk-head"><h1>People</h1> <a class="button quiet" href="${NEW_PERSON_PATH}">Add a person</a></div>
${toolbar(asked)}
${people.length > 0 ? table(people, asked, nowMs) : nobody(asked)}
${pager({ first: asked.after && linkTo(asked, {}), next: next === null ? undefined : linkTo(asked, { after: next }) })}`,
        markdown: () => inMarkdown(people, next, asked, nowMs),
      }
    },
  }
}

/** The address of this page with other parameters. A change of any of them leads to the first page. */
function linkTo(asked: Asked, changed: Asked, path = DESK_PATH): string {
  return addressWith(path, { ...asked, after: '', ...changed })
}

function toolbar(asked: Asked): Html {
  const { search = '', filter = 'all' } = asked
  return html`<div class="toolbar">
<form class="search-form" role="search" aria-label="People" action="${DESK_PATH}">
<label class="unseen" for="search">Name, e-mail address or username</label>
<input id="search" type="search" name="search" value="${search}" maxlength="${MAX_SEARCH_CHARACTERS}" placeholder="Name, e-mail or username" dir="auto" autocomplete="off" autocapitalize="none" spellcheck="false">
${filter !== 'all' && html`<input type="hidden" name="filter" value="${filter}">`}
<button class="quiet">${icon('search')}Search</button>
</form>
<nav class="filters" aria-label="Filter">${Object.entries(FILTERS).map(
    ([name, words]) =>
      html`<a href="${linkTo(asked, { filter: name === 'all' ? '' : name })}"${name === filter && html` aria-current="true"`}>${words}</a> `,
  )}</nav>
</div>`
}

function table(people: ShownPerson[], asked: Asked, nowMs: number): Html {
  return html`<table class="dense">
<caption class="unseen">People</caption>
<thead><tr><th scope="col">Name</th><th scope="col">E-mail</th><th scope="col">Username</th><th scope="col" class="role">Role</th><th scope="col" class="state">State</th>${createdHeading(asked)}</tr></thead>
<tbody>
${people.map(
  (person) => html`<tr>
<td class="name"><a href="${personLink(person)}">${chosen(nameOf(person))}</a></td>
<td class="email">${chosen(person.email)}</td>
<td class="username">${person.username && html`@${chosen(person.username)}`}</td>
<td class="role">${person.role === 'owner' ? html`<span class="badge accent">Owner</span>` : 'Member'}</td>
<td class="state">${stateBadge(person, nowMs) ?? 'Active'}</td>
<td class="created">${shortDate(person.createdAt)}</td>
</tr>
`,
)}</tbody>
</table>`
}

/** A search has an order of its own. */
function createdHeading(asked: Asked): Html {
  if (asked.search) return html`<th scope="col" class="created">Created</th>`
  const isOldest = asked.order === 'oldest'
  return html`<th scope="col" class="created" aria-sort="${isOldest ? 'ascending' : 'descending'}"><a href="${linkTo(asked, { order: isOldest ? '' : 'oldest' })}">Created<span aria-hidden="true"> ${isOldest ? '↑' : '↓'}</span></a></th>`
}

function nobody({ search, filter = 'all', after }: Asked): Html {
  if (after) return html`<div class="empty"><p>There is nobody after the page before.</p></div>`
  if (search)
    return html`<div class="empty" role="status"><p>Nobody was found for <b>${chosen(search)}</b>${filter !== 'all' && ' with this filter'}.</p>
<p>A search finds the beginning of a name, a last name, an e-mail address or a username. <a href="${DESK_PATH}">Show everybody</a></p></div>`
  return html`<div class="empty"><p>${EMPTY[filter as keyof typeof EMPTY]}</p></div>`
}

const EMPTY: typeof FILTERS = {
  all: 'Nobody has signed up yet.',
  owners: 'There is no owner yet. Open a person to make them one.',
  suspended: 'Nobody is suspended. Open a person to suspend them.',
  unverified: 'Everybody has verified their e-mail address.',
}

function inMarkdown(people: ShownPerson[], next: string | null, asked: Asked, nowMs: number): string {
  const { search = '', filter = 'all' } = asked
  const lines = people.map((person) => {
    const facts = [chosenInMarkdown(person.email), `@${person.username}`, person.role, stateOf(person, nowMs).words]
    const link = personLink(person).replace('?', '.md?')
    return `- [${chosenInMarkdown(nameOf(person))}](${link}): ${facts.join(', ')}, created ${shortDate(person.createdAt)}`
  })
  return [
    `Filter: ${filter}.${search && ` Search: ${chosenInMarkdown(search)}.`}`,
    lines.join('\n') || 'Nobody was found.',
    next !== null && `[Next page](${linkTo(asked, { after: next }, markdownPath(DESK_PATH))})`,
  ]
    .filter(Boolean)
    .join('\n\n')
}
