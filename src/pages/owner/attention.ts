import { type Html, html } from '../html.ts'
import { icon } from '../icons.ts'
import type { Health } from './activity.ts'

/** What an owner should look at, or that there is nothing. */
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
