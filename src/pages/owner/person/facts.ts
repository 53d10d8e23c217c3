import { longMoment } from '../../../lib/dates.ts'
import type { Means } from '../../../proofs/means.ts'
import { type Html, html } from '../../html.ts'
import { chosen, chosenInMarkdown, isSuspended, type ShownPerson, stateOf } from '../shown-values.ts'
import type { PersonDetails } from './details.ts'

const MEANS: Record<Means, string> = {
  password: 'password',
  passkey: 'passkey',
  'authenticator-app': 'authenticator app',
  'mailed-code': 'mailed code',
}

export type Fact = [label: string, value: string]

/** The stored facts about the account itself, as labels and values. */
export function factsOf(
  { person, waysToSignIn, providers }: PersonDetails,
  nowMs: number,
  providerTitle: (name: PersonDetails['providers'][number]) => string,
): Fact[] {
  const ways = [...waysToSignIn.map((name) => MEANS[name as Means] ?? name), ...providers.map(providerTitle)]
  return [
    ['State', stateOf(person, nowMs).words],
    ...suspensionOf(person, nowMs),
    ['E-mail', `${person.email}${person.isVerified ? '' : ' (not verified)'}`],
    ['Username', person.username],
    ['Role', person.role === 'owner' ? 'Owner' : 'Member'],
    ['Signs in with', ways.join(', ')],
    ['Two-step sign-in', person.hasSecondFactor ? 'On' : 'Off'],
    ['Created', longMoment(new Date(person.createdAt))],
    ['Id', person.userId],
  ]
}

function suspensionOf(person: ShownPerson, nowMs: number): Fact[] {
  const { suspendedUntil, suspensionReason } = person
  if (suspendedUntil === null) return []
  const end = longMoment(new Date(suspendedUntil))
  return [
    isSuspended(person, nowMs) ? ['Ends', end] : ['Was suspended', `Until ${end}`],
    ['Reason', suspensionReason || 'None given'],
  ]
}

export function factsCard(title: string, facts: Fact[]): Html {
  return html`<section class="card" aria-labelledby="facts">
<h2 id="facts">${title}</h2>
<dl class="facts">${facts.map(([label, value]) => html`<div><dt>${label}</dt><dd${label === 'Id' && html` class="id"`}>${chosen(value)}</dd></div>`)}</dl>
</section>`
}

export function factsInMarkdown(facts: Fact[]): string {
  return facts.map(([label, value]) => `- ${label}: ${chosenInMarkdown(value)}`).join('\n')
}
