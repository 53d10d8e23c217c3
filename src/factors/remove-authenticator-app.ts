import type { AccountParts } from '../accounts/parts.ts'
import { recordEvent } from '../events/security-events.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockProvenCaller, reauthenticationRequired } from '../proofs/recent-proof.ts'
import { forgetSecondFactorProofs, readFactors, turnOffSecondFactor } from '../proofs/second-factor.ts'
import { admitChange } from './admit-change.ts'

const noApp = declareRefusal({
  status: 404,
  code: 'authenticator_app_not_found',
  message: 'Authenticator app not found',
  when: 'The account has no authenticator app',
})

export function removeAuthenticatorApp(parts: AccountParts) {
  const { database, outbox, messages, clientInfoOf, browserSession, authenticatorApps } = parts
  return operation({
    id: 'removeAuthenticatorApp',
    summary: 'Remove the authenticator app',
    message: 'Authenticator app removed successfully',
    description:
      'Without a passkey, this turns two-step sign-in off and deletes the recovery codes. Remembered browsers are ' +
      'forgotten. Needs a recent proof of identity.',
    data: Type.Object(
      { isRequired: Type.Boolean({ description: 'Whether two-step sign-in is still on', examples: [false] }) },
      { title: 'AuthenticatorAppRemoved' },
    ),
    refusals: [noApp, reauthenticationRequired],
    limits: ['security'],
    async handle({ caller, request }) {
      await admitChange(parts, request, caller)
      const { isRequired, cookies } = await database.transaction(async (tx) => {
        const user = await lockProvenCaller(tx, parts, caller)
        if (!(await authenticatorApps.remove(tx, user.id))) throw new Refusal(noApp)
        const { passkeys } = await readFactors(tx, parts, user.id)
        const isRequired = user.second_factor_required === 1 && passkeys > 0
        if (isRequired) await forgetSecondFactorProofs(tx, user.id)
        else await turnOffSecondFactor(tx, user.id)
        const clientInfo = clientInfoOf(request)
        const { sessionId, cookies } = await browserSession.renew(tx, caller)
        await recordEvent(tx, database.now, {
          type: 'authenticator-app.removed',
          userId: user.id,
          sessionId,
          clientInfo,
        })
        await outbox.enqueue(tx, user.email, messages.authenticatorAppRemoved(user.first_name, isRequired, clientInfo))
        return { isRequired, cookies }
      })
      return { data: { isRequired }, cookies }
    },
  })
}
