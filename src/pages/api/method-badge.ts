import { type Html, html } from '../html.ts'

const TONES: Record<string, string> = { GET: 'good', POST: 'warn', DELETE: 'bad' }

/** The method of a call, in a tone of its own. */
export function methodBadge(method: string): Html {
  return html`<span class="method badge ${TONES[method]}">${method}</span>`
}
