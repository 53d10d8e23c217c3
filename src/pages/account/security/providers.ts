import type { Static } from '../../../http/schema.ts'
import type { LinkedAccounts } from '../../../oauth/list-linked-accounts.ts'
import { html } from '../../html.ts'
import type { AccountPageParts } from '../parts.ts'
import { hasOnlyWayIn, ONLY_WAY_IN } from './only-way-in.ts'
import { SECURITY_PATH, type SecurityPart } from './part.ts'
import { timeOf } from './shown-values.ts'

export function providersPart({ providers }: AccountPageParts): SecurityPart {
  const configured = Object.values(providers).filter((provider) => provider !== undefined)
  const titleOf = (name: string) => configured.find((provider) => provider.name === name)?.title ?? name
  return {
    calls: ['GET /api/linked-accounts', 'POST /api/linked-accounts', 'DELETE /api/linked-accounts'],
    async main(visit, formState) {
      const [{ linkedAccounts }, isOnlyWayIn] = await Promise.all([
        visit.perform<Static<typeof LinkedAccounts>>('GET /api/linked-accounts'),
        hasOnlyWayIn(visit),
      ])
      if (configured.length === 0 && linkedAccounts.length === 0) return undefined
      const [link, unlink] = [formState.of('link'), formState.of('unlink')]
      const others = configured.filter(({ name }) => !linkedAccounts.some(({ provider }) => provider === name))
      return html`<section class="card">
<h3 id="providers">Connected accounts</h3>
<p>Sign in here with an account that you have elsewhere.</p>
<ul class="cards">${linkedAccounts.map(
        ({ provider, username, linkedAt }) => html`<li>
<div><strong>${titleOf(provider)}</strong>${isOnlyWayIn && ONLY_WAY_IN}
<p>As ${username}, connected ${timeOf(linkedAt)}</p></div>
${!isOnlyWayIn && unlink.form(html`<input type="hidden" name="provider" value="${provider}">`, 'Remove', { look: 'quiet', of: titleOf(provider) })}
</li>`,
      )}${others.map(
        ({ name, title }) => html`<li>
<div><strong>${title}</strong>
<p>Not connected</p></div>
${link.form(html`<input type="hidden" name="provider" value="${name}">`, 'Connect', { look: 'quiet', of: title })}
</li>`,
      )}</ul>
</section>`
    },
    forms: {
      async link({ perform }, { fields }) {
        const { url } = await perform<{ url: string }>('POST /api/linked-accounts', fields)
        return { to: url }
      },
      async unlink({ perform }, { fields }) {
        await perform('DELETE /api/linked-accounts', fields)
        return { to: SECURITY_PATH, notice: 'sign-in-unlinked' }
      },
    },
  }
}
