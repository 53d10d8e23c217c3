import { AppCode } from '../accounts/fields.ts'
import type { AccountParts } from '../accounts/parts.ts'
import { recordEvent } from '../events/security-events.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockProvenCaller, reauthenticationRequired, withdrawStrongProofs } from '../proofs/recent-proof.ts'
import { requireSecondFactor } from '../proofs/second-factor.ts'
import { admitChange } from './admit-change.ts'
import { RecoveryCodeList } from './fields.ts'

const wrongAppCode = declareRefusal({
  status: 400,
  code: 'invalid_app_code',
  message: 'The code is wrong: check that the clock of your device is right, and enter the current code',
  when: 'The code is not a current one of the new authenticator app, or adding the app was not begun within the last hour',
})

export function confirmAuthenticatorApp(parts: AccountParts) {
  const { database, outbox, messages, clientInfoOf, browserSession, authenticatorApps, recoveryCodes } = parts
  return operation({
    id: 'confirmAuthenticatorApp',
    summary: 'Add the authenticator app with its first code, and turn two-step sign-in on',
    message: 'Authenticator app added successfully',
    description:
      'From now on every sign-in needs a code of the app, a recovery code or a passkey too. The response has new ' +
      'recovery codes, which replace all earlier ones. Needs a recent proof of identity.',
    body: Type.Object({ code: AppCode }),
    data: Type.Object({ recoveryCodes: RecoveryCodeList }, { title: 'RecoveryCodes' }),
    refusals: [wrongAppCode, reauthenticationRequired],
    limits: ['security'],
    async handle({ body: { code }, caller, request }) {
      await admitChange(parts, request, caller)
      const added = await database.transaction(async (tx) => {
        const user = await lockProvenCaller(tx, parts, caller)
        await withdrawStrongProofs(tx, { ...caller, user })
        // The transaction commits, because it contains the count of wrong codes.
        if (!(await authenticatorApps.confirm(tx, user.id, code))) return undefined
        await requireSecondFactor(tx, user.id)
        const codes = await recoveryCodes.replace(tx, user.id)
        const clientInfo = clientInfoOf(request)
        const { sessionId, cookies } = await browserSession.renew(tx, caller)
        await recordEvent(tx, database.now, {
          type: 'authenticator-app.added',
          userId: user.id,
          sessionId,
          clientInfo,
        })
        await outbox.enqueue(tx, user.email, messages.authenticatorAppAdded(user.first_name, clientInfo))
        return { codes, cookies }
      })
      if (!added) throw new Refusal(wrongAppCode)
      return { data: { recoveryCodes: added.codes }, cookies: added.cookies }
    },
  })
}
