import { printable } from '../../lib/printable.ts'
import type { listOwnerActions } from '../../owner/list-owner-actions.ts'
import { programOf } from '../account/security/shown-values.ts'
import { type Html, html } from '../html.ts'
import { markdownPath } from '../layout.ts'
import { changesIn } from './audit-details.ts'
import type { DataOf, DeskPage } from './page.ts'
import { addressWith, askedIn, pager } from './pager.ts'
import { chosen, chosenInMarkdown, personLink, shortMoment } from './shown-values.ts'

export const AUDIT_PATH = '/owner/audit'
const CALL = 'GET /api/owner/audit'
const PARAMETERS = ['userId', 'limit', 'after'] as const

type Audit = DataOf<typeof listOwnerActions>
type Action = Audit['actions'][number]
type Asked = ReturnType<typeof askedIn<(typeof PARAMETERS)[number]>>

export function auditPage(): DeskPage {
  return {
    path: AUDIT_PATH,
    tab: AUDIT_PATH,
    description: 'Every change that an owner has made, newest first.',
    calls: [CALL],
    scripts: ['relative-times'],
    async read({ perform, query }) {
      const asked = askedIn(query, PARAMETERS)
      const { actions, next } = await perform<Audit>(CALL, asked)
      const linkTo = (after: string, path = AUDIT_PATH) => addressWith(path, { ...asked, after })
      return {
        title: 'Audit log',
        main: () => html`<h1>Audit log</h1>
${asked.userId && html`<p>Only what was done with <a href="${personLink({ userId: asked.userId })}">one person</a>. <a href="${AUDIT_PATH}">Show everything</a></p>`}
${actions.length > 0 ? table(actions) : empty(asked)}
${pager({ first: asked.after && linkTo(''), next: next === null ? undefined : linkTo(next) })}`,
        markdown: () =>
          [
            actions.map(inMarkdown).join('\n') || 'Nothing was done.',
            next !== null && `[Next page](${linkTo(next, markdownPath(AUDIT_PATH))})`,
          ]
            .filter(Boolean)
            .join('\n\n'),
      }
    },
  }
}

function table(actions: Action[]): Html {
  return html`<table class="dense">
<caption class="unseen">Audit log</caption>
<thead><tr><th scope="col" class="what">What</th><th scope="col">Person</th><th scope="col">Owner</th><th scope="col">From</th><th scope="col" class="when">When</th></tr></thead>
<tbody>
${actions.map(
  (action) => html`<tr>
<td class="name"><strong>${printable(action.description)}</strong>${changesIn(action.details).map((change) => html`<br>${chosen(change)}`)}</td>
<td class="email">${partyLink(action.person)}</td>
<td class="owner">${action.owner === null ? 'Command line' : partyLink(action.owner)}</td>
<td>${action.owner !== null && chosen(placeOf(action))}</td>
<td class="when"><time datetime="${action.createdAt}">${shortMoment(action.createdAt)}</time></td>
</tr>
`,
)}</tbody>
</table>`
}

function empty({ userId, after }: Asked): Html {
  if (after) return html`<div class="empty"><p>There is nothing before the page before.</p></div>`
  return html`<div class="empty"><p>${userId ? 'No owner has changed anything about this person.' : 'No owner has changed anything yet.'}</p>
<p>Every change on this desk, by the API and by the command line is written here, and is never changed or deleted.</p></div>`
}

function partyLink(party: Action['person']): Html | undefined {
  if (party === null) return undefined
  return party.email === null
    ? html`<a href="${addressWith(AUDIT_PATH, { userId: party.userId })}">Deleted <span class="id">${party.userId.slice(0, 8)}</span></a>`
    : html`<a href="${personLink(party)}">${chosen(party.email)}</a>`
}

function placeOf({ clientIp, ...program }: Action): string {
  return [programOf(program), clientIp].filter(Boolean).join(', at ')
}

function inMarkdown(action: Action): string {
  const { createdAt, description, person, owner, details } = action
  const nameOf = ({ email, userId }: NonNullable<Action['person']>) => email ?? `deleted, ${userId}`
  const facts = [
    ...(person ? [`person: ${nameOf(person)}`] : []),
    ...(owner ? [`owner: ${nameOf(owner)}`, `from: ${placeOf(action)}`] : ['by the command line']),
    ...changesIn(details),
  ]
  return `- ${createdAt}: ${chosenInMarkdown(description)}. ${facts.map(chosenInMarkdown).join('; ')}`
}
