import type { SecondFactor } from '../../../factors/fields.ts'
import type { Static } from '../../../http/schema.ts'
import { counted } from '../../../lib/counted.ts'
import { FEW_RECOVERY_CODES } from '../../../mail/factor-messages.ts'
import type { LinkedAccounts } from '../../../oauth/list-linked-accounts.ts'
import type { Sessions } from '../../../sessions/list.ts'
import { notice } from '../../components.ts'
import { type Html, html } from '../../html.ts'
import { icon } from '../../icons.ts'
import type { AccountPageParts } from '../parts.ts'
import { PASSWORD_FORM_PATH, type SecurityPart } from './part.ts'

type State = 'good' | 'open' | 'warn'

const STATE_ICONS = { good: 'check', open: 'info', warn: 'warning' } as const

/** A summary of the protections of the account, with links to the cards below. */
export function overviewPart({ providers, webauthn: { relyingParty } }: AccountPageParts): SecurityPart {
  const titleOf = (name: string) => Object.values(providers).find((provider) => provider?.name === name)?.title ?? name
  const hasProviders = Object.values(providers).some((provider) => provider !== undefined)
  return {
    calls: [],
    async main({ perform, visitor: { user } }) {
      const [{ linkedAccounts }, factors, { sessions }] = await Promise.all([
        perform<Static<typeof LinkedAccounts>>('GET /api/linked-accounts'),
        perform<Static<typeof SecondFactor>>('GET /api/second-factor'),
        perform<Static<typeof Sessions>>('GET /api/sessions'),
      ])
      const { passkeys } = factors
      const titles = linkedAccounts.map(({ provider }) => titleOf(provider))
      const hasPassword = user.password_hash !== null
      const devices = sessions.filter(({ revokedAt }) => revokedAt === null).length
      return html`${onlyWayIn(hasPassword, passkeys, titles, relyingParty.isDomain)}
<ul class="card glance">
${row('password', 'Password', hasPassword ? 'good' : 'open', hasPassword ? 'Set' : 'None')}
${(relyingParty.isDomain || passkeys > 0) && row('passkeys', 'Passkeys', passkeys > 0 ? 'good' : 'open', passkeys > 0 ? counted(passkeys, 'passkey') : 'None yet')}
${(hasProviders || titles.length > 0) && row('providers', 'Connected accounts', titles.length > 0 ? 'good' : 'open', titles.join(' and ') || 'None yet')}
${row('two-step', 'Two-step sign-in', twoStepState(factors), twoStepWords(factors))}
${row('sessions', 'Signed in', 'good', `On ${counted(devices, 'device')}`)}
</ul>`
    },
  }
}

function row(anchor: string, label: string, state: State, words: string): Html {
  return html`<li class="${state}"><a href="#${anchor}">${icon(STATE_ICONS[state])}<span>${label}</span> <strong>${words}</strong></a></li>`
}

function twoStepState({ isRequired, recoveryCodesLeft }: Static<typeof SecondFactor>): State {
  if (!isRequired) return 'open'
  return recoveryCodesLeft <= FEW_RECOVERY_CODES ? 'warn' : 'good'
}

function twoStepWords({ isRequired, recoveryCodesLeft: left }: Static<typeof SecondFactor>): string {
  if (!isRequired) return 'Off'
  return left <= FEW_RECOVERY_CODES ? `On, ${counted(left, 'recovery code')} left` : 'On'
}

/** A password can be reset by mail. A passkey or a provider that is lost cannot. */
function onlyWayIn(
  hasPassword: boolean,
  passkeys: number,
  providers: string[],
  canAddPasskey: boolean,
): Html | undefined {
  if (hasPassword || passkeys + providers.length > 1) return undefined
  const password = html`<a href="${PASSWORD_FORM_PATH}#password">Set a password</a>`
  const advice = canAddPasskey ? html`${password} or <a href="#passkeys">add a passkey</a>` : password
  if (passkeys + providers.length === 0) return notice('warn', html`You have no way to sign in again. ${advice}.`)
  const way = providers[0] ?? 'Your passkey'
  return notice(
    'warn',
    html`<strong>${way} is your only way in.</strong> ${advice}, so that you are not locked out if you lose it.`,
  )
}
