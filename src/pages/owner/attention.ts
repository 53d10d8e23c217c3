import { type Html, html } from '../html.ts'
import { icon } from '../icons.ts'
import type { Health } from './activity.ts'

/** The list of problems that need an owner, or a line that says that there are none. */
export function attentionList({ attention }: Health): Html {
  if (attention.length === 0)
    return html`<p class="calm">${icon('check')}<span>Nothing needs your attention.</span></p>`
  return html`<ul class="attention">${attention.map(
    ({ message, path }) => html`<li>${icon('warning')}<a href="${path}">${message}</a></li>
`,
  )}</ul>`
}

export function attentionInMarkdown({ attention }: Health): string {
  if (attention.length === 0) return 'Nothing needs your attention.'
  return attention.map(({ message, path }) => `- [${message}](${path.replace(/(?=\?|$)/, '.md')})`).join('\n')
}
