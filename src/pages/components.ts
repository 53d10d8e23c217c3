import { type Html, html } from './html.ts'
import { type IconName, icon } from './icons.ts'

const ICONS = { note: 'info', good: 'check', warn: 'warning', problem: 'problem' } as const satisfies Record<
  string,
  IconName
>

/** A message with an icon and a tint. A problem is announced to screen readers at once, everything else politely. */
export function notice(kind: keyof typeof ICONS, content: Html | string): Html {
  return html`<div class="notice ${kind}" role="${kind === 'problem' ? 'alert' : 'status'}">${icon(ICONS[kind])}<div>${content}</div></div>`
}

/** A picture of a person, or their initials. The name is beside it, so the picture has no text of its own. */
export function portrait({ name, avatar }: { name: string; avatar: string | null }): Html {
  if (avatar) return html`<img class="portrait" src="${avatar}" alt="" width="88" height="88">`
  const initials = name.split(' ').map((word) => [...word][0] ?? '')
  return html`<span class="portrait" aria-hidden="true">${initials.join('').slice(0, 2).toUpperCase()}</span>`
}
