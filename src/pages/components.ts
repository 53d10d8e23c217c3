import { type Html, html } from './html.ts'
import { type IconName, icon } from './icons.ts'

// With the role `status`, screen readers announce the notice after the current text. With `alert`, they interrupt it.
const NOTICES = {
  note: { icon: 'info', role: 'note' },
  good: { icon: 'check', role: 'status' },
  warn: { icon: 'warning', role: 'note' },
  problem: { icon: 'problem', role: 'alert' },
} as const satisfies Record<string, { icon: IconName; role: string }>

/** A message with an icon and a tint. */
export function notice(kind: keyof typeof NOTICES, content: Html | string): Html {
  const { icon: name, role } = NOTICES[kind]
  return html`<div class="notice ${kind}">${icon(name)}<div role="${role}">${content}</div></div>`
}

/** A picture of a person, or their initials. The name is beside it, so the picture has no text of its own. */
export function portrait({ name, avatar }: { name: string; avatar: string | null }): Html {
  if (avatar) return html`<img class="portrait" src="${avatar}" alt="" width="88" height="88">`
  const initials = name.split(' ').map((word) => [...word][0] ?? '')
  return html`<span class="portrait" aria-hidden="true">${initials.join('').slice(0, 2).toUpperCase()}</span>`
}
