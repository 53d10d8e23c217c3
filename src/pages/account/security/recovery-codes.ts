import type { SecondFactor } from '../../../factors/fields.ts'
import type { Static } from '../../../http/schema.ts'
import { FEW_RECOVERY_CODES } from '../../../mail/factor-messages.ts'
import { notice } from '../../components.ts'
import { html } from '../../html.ts'
import type { AccountPageParts } from '../parts.ts'
import type { SecurityPart } from './part.ts'
import { recoveryCodeList } from './recovery-code-list.ts'

/** How many recovery codes are left, and new ones. Empty while two-step sign-in is off. */
export function recoveryCodesPart({ siteIdentity }: AccountPageParts): SecurityPart {
  return {
    calls: ['POST /api/recovery-codes'],
    async main({ perform }, formState) {
      const { isRequired, recoveryCodesLeft: left } =
        await perform<Static<typeof SecondFactor>>('GET /api/second-factor')
      if (!isRequired) return undefined
      const count = left === 1 ? '1 recovery code is left' : `${left || 'No'} recovery codes are left`
      return html`<section class="card">
<h3 id="recovery-codes">Recovery codes</h3>
${
  left <= FEW_RECOVERY_CODES
    ? notice('warn', `${count}. Make new ones, so that you are not locked out if you lose your phone or your passkey.`)
    : html`<p>${count}. Each of them signs you in once if you lose your phone or your passkey.</p>`
}
${formState.of('recovery-codes').form(html``, 'Make new recovery codes', { look: 'quiet' })}
</section>`
    },
    forms: {
      async 'recovery-codes'({ perform }) {
        const { recoveryCodes } = await perform<{ recoveryCodes: string[] }>('POST /api/recovery-codes')
        return { title: 'Your recovery codes', main: recoveryCodeList(siteIdentity.title(), recoveryCodes) }
      },
    },
  }
}
