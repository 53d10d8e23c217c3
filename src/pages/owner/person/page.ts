import { portrait } from '../../components.ts'
import { type Html, html } from '../../html.ts'
import { DESK_PATH } from '../../layout.ts'
import type { DeskPage } from '../page.ts'
import type { DeskParts } from '../parts.ts'
import { chosen, isSuspended, nameOf, type ShownPerson, stateBadge } from '../shown-values.ts'
import { personIdIn } from './action.ts'
import { actionsCard, personActions } from './actions.ts'
import type { PersonDetails } from './details.ts'
import { END_SESSION, endSessionForm, endSessionForms } from './end-session.ts'
import { factsCard, factsInMarkdown, factsOf } from './facts.ts'
import { eventsCard, historyInMarkdown, mailsCard, sessionsCard } from './history.ts'

const CALL = 'GET /api/owner/person'

export function personPage(parts: DeskParts): DeskPage {
  const { config, clock, providerTitle } = parts
  const actions = personActions(parts)
  return {
    path: '/owner/person',
    tab: DESK_PATH,
    description: 'A person of the site: facts, sessions, events, mails, and what an owner can do.',
    calls: [CALL, ...actions.map(({ call }) => call), END_SESSION],
    scripts: ['relative-times'],
    async read(visit) {
      const details = await visit.perform<PersonDetails>(CALL, { userId: personIdIn(visit) })
      const { person } = details
      const nowMs = clock.now()
      const context = {
        ...details,
        isSuspended: isSuspended(person, nowMs),
        isSelf: person.userId === visit.visitor.user.id,
      }
      const facts = factsOf(details, nowMs, providerTitle)
      return {
        title: nameOf(person),
        main: (formState) => html`${heading(person, context.isSelf, config.baseUrl, nowMs)}
<div class="person">
${factsCard('Account', facts)}
${actionsCard(actions, context, formState)}
<div class="history">
${sessionsCard(details, (session) => endSessionForm(context, session, formState))}
${mailsCard(details)}
${eventsCard(details)}
</div>
</div>`,
        markdown: () => `${factsInMarkdown(facts)}\n\n${historyInMarkdown(details)}`,
      }
    },
    forms: Object.assign({}, endSessionForms, ...actions.map(({ forms }) => forms)),
  }
}

/** A picture of another site is not shown: the request would reveal that an owner looks at this person. */
function heading(person: ShownPerson, isSelf: boolean, baseUrl: string, nowMs: number): Html {
  const name = nameOf(person)
  const avatar = person.avatar.startsWith(`${baseUrl}/`) ? person.avatar : ''
  return html`<div class="who">
${portrait({ name, avatar })}
<div>
<h1>${chosen(name)} ${person.role === 'owner' && html`<span class="badge accent">Owner</span> `}${isSelf && html`<span class="badge">You</span> `}${stateBadge(person, nowMs)}</h1>
<p>${chosen(person.email)}</p>
</div>
</div>`
}
