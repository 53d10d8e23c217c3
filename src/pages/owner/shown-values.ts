import { asMarkdown } from '../../content/as-markdown.ts'
import type { Static } from '../../http/schema.ts'
import { printable } from '../../lib/printable.ts'
import type { Person } from '../../owner/person.ts'
import { type Html, html } from '../html.ts'

export type ShownPerson = Static<typeof Person>

const PERSON_PATH = '/owner/person'

/**
 * A text that a person or a program has chosen. It cannot change the direction of the text around it (`bdi`), nor the
 * order of its own letters.
 */
export function chosen(text: string): Html {
  return html`<bdi>${printable(text)}</bdi>`
}

/** The same for markdown. */
export function chosenInMarkdown(text: string): string {
  return asMarkdown(printable(text))
}

/** The whole name, or the e-mail address of an account without one. */
export function nameOf({ firstName, lastName, email }: ShownPerson): string {
  return `${firstName} ${lastName}`.trim() || email
}

export function personLink({ userId }: Pick<ShownPerson, 'userId'>): string {
  return `${PERSON_PATH}?${new URLSearchParams({ userId })}`
}

export function isSuspended({ suspendedUntil }: ShownPerson, nowMs: number): boolean {
  return suspendedUntil !== null && Date.parse(suspendedUntil) > nowMs
}

/** The state of an account in words, and the style of its badge. */
export function stateOf(person: ShownPerson, nowMs: number): { words: string; look: 'bad' | 'warn' | '' } {
  if (isSuspended(person, nowMs))
    return { words: `Suspended until ${shortDate(person.suspendedUntil ?? '')}`, look: 'bad' }
  return person.isVerified ? { words: 'Active', look: '' } : { words: 'Not verified', look: 'warn' }
}

/** Undefined for an account in the usual state. */
export function stateBadge(person: ShownPerson, nowMs: number): Html | undefined {
  const { words, look } = stateOf(person, nowMs)
  return look ? html`<span class="badge ${look}">${words}</span>` : undefined
}

/** Such as "2026-11-16", for tables. */
export function shortDate(iso: string): string {
  return iso.slice(0, 10)
}

/** Such as "2026-11-16 09:30 UTC", for tables. */
export function shortMoment(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}
