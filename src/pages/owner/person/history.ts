import { counted } from '../../../lib/counted.ts'
import { programOf, timeOf } from '../../account/security/shown-values.ts'
import { type Html, html } from '../../html.ts'
import { chosen, chosenInMarkdown, shortDate } from '../shown-values.ts'
import type { PersonDetails } from './details.ts'

/** The newest ones are shown, and the others are folded away. */
const SHOWN_EVENTS = 8

/** How a session began, in words. Every other method is a provider. */
const METHODS: Partial<Record<PersonDetails['sessions'][number]['authMethod'], string>> = {
  email: 'with the password',
  passkey: 'with a passkey',
  'mailed-code': 'with a mailed code',
}

export type Session = PersonDetails['sessions'][number]

/** One line of a list: an event, its time, and further facts. */
interface Line {
  what: string
  when: string
  more: string
  badge?: Html
  /** The actions of an owner on it. */
  action?: Html | undefined
}

export function sessionsCard(details: PersonDetails, endSession: (session: Session) => Html | undefined): Html {
  const lines = details.sessions.map((session) => ({ ...sessionLine(session), action: endSession(session) }))
  return card('Sessions', lines, 'Signed in on no device.')
}

export function mailsCard(details: PersonDetails): Html {
  return card('Mails not delivered', details.mails.map(mailLine), 'No mail to this person is waiting or has failed.')
}

export function eventsCard(details: PersonDetails): Html {
  return card('Events', details.events.map(eventLine), 'Nothing has happened yet.')
}

function card(title: string, lines: Line[], empty: string): Html {
  const id = title.toLowerCase().replaceAll(' ', '-')
  const [shown, folded] = [lines.slice(0, SHOWN_EVENTS), lines.slice(SHOWN_EVENTS)]
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${shown.length > 0 ? list(shown) : html`<p>${empty}</p>`}
${folded.length > 0 && html`<details><summary>${folded.length} more</summary>${list(folded)}</details>`}
</section>`
}

function list(lines: Line[]): Html {
  return html`<ul class="events">${lines.map(
    ({ what, when, more, badge, action }) =>
      html`<li><strong>${chosen(what)}${badge}</strong> ${timeOf(when)} <span>${chosen(more)}</span>${action}</li>`,
  )}</ul>`
}

function sessionLine(session: Session): Line {
  const { device, clientIp, authMethod, createdAt, lastActiveAt } = session
  const place = clientIp ? `${device} at ${clientIp}` : device
  const more = `${place}, signed in on ${shortDate(createdAt)} ${METHODS[authMethod] ?? 'through a provider'}`
  return { what: programOf(session), when: lastActiveAt, more }
}

function eventLine(event: PersonDetails['events'][number]): Line {
  const { description, createdAt, ipAddress } = event
  return { what: description, when: createdAt, more: [programOf(event), ipAddress].filter(Boolean).join(', at ') }
}

function mailLine({ subject, attempts, createdAt, failedAt, lastError }: PersonDetails['mails'][number]): Line {
  const badge =
    failedAt === null ? html` <span class="badge">Waiting</span>` : html` <span class="badge bad">Failed</span>`
  const more = [attempts > 0 ? `Tried ${counted(attempts, 'time')}` : 'Not tried yet', lastError].filter(Boolean)
  return { what: subject, when: createdAt, more: more.join(': '), badge }
}

export function historyInMarkdown({ sessions, mails, events }: PersonDetails): string {
  const lists = {
    'Active sessions': sessions.map(sessionLine),
    'Mails that are not delivered': mails.map(mailLine),
    'Newest events': events.map(eventLine),
  }
  return Object.entries(lists)
    .map(([title, lines]) => `## ${title}\n\n${lines.map(lineInMarkdown).join('\n') || 'None.'}`)
    .join('\n\n')
}

function lineInMarkdown({ what, when, more }: Line): string {
  return `- ${when}: ${chosenInMarkdown(what)}, ${chosenInMarkdown(more)}`
}
