import type { RememberedBrowserList } from '../../../factors/list-remembered-browsers.ts'
import type { Static } from '../../../http/schema.ts'
import { html } from '../../html.ts'
import { SECURITY_PATH, type SecurityPart } from './part.ts'
import { programOf, timeOf } from './shown-values.ts'

/** The browsers that sign in without the second factor. Empty if there are none. */
export function rememberedBrowsersPart(): SecurityPart {
  return {
    calls: ['GET /api/remembered-browsers', 'DELETE /api/remembered-browsers'],
    async main({ perform }, formState) {
      const { browsers } = await perform<Static<typeof RememberedBrowserList>>('GET /api/remembered-browsers')
      if (browsers.length === 0) return undefined
      const [one, all] = [formState.of('forget-browser'), formState.of('forget-browsers')]
      return html`<section class="card">
<h3 id="remembered-browsers">Remembered browsers</h3>
<p>These browsers sign in without the second step for 30 days.</p>
<ul class="cards">${browsers.map(
        (browser) => html`<li>
<div><strong>${programOf(browser)}</strong>${browser.isCurrent && html` <span class="badge accent">This browser</span>`}
<p>Remembered ${timeOf(browser.rememberedAt)} at ${browser.clientIp}, last used ${timeOf(browser.lastUsedAt)}</p></div>
${one.form(html`<input type="hidden" name="id" value="${browser.id}">`, 'Forget', { look: 'quiet', of: programOf(browser) })}
</li>`,
      )}</ul>
${browsers.length > 1 && all.form(html``, 'Forget all browsers', { look: 'quiet' })}
</section>`
    },
    forms: {
      async 'forget-browser'({ perform }, { fields: { id = '' } }) {
        await perform('DELETE /api/remembered-browsers', { id })
        return { to: SECURITY_PATH, notice: 'browsers-forgotten' }
      },
      async 'forget-browsers'({ perform }) {
        await perform('DELETE /api/remembered-browsers')
        return { to: SECURITY_PATH, notice: 'browsers-forgotten' }
      },
    },
  }
}
