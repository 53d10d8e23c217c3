import type { AccountParts } from '../accounts/parts.ts'
import { recordEvent } from '../events/security-events.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { lockProvenCaller, reauthenticationRequired } from '../proofs/recent-proof.ts'
import { forgetSecondFactorProofs } from '../proofs/second-factor.ts'
import { hasSignInMethod } from '../proofs/sign-in-methods.ts'
import { endSessions } from '../sessions/end.ts'
import { admitChange } from './admit-change.ts'
import { onlyWayIn } from './passkey-fields.ts'

const noPassword = declareRefusal({
  status: 404,
  code: 'password_not_found',
  message: 'The account has no password',
  when: 'The account has no password to remove',
})

export function removePassword(parts: AccountParts) {
  const { database, outbox, messages, clientInfoOf, browserSession } = parts
  const { now } = database
  return operation({
    id: 'removePassword',
    summary: 'Remove the password, and sign in with a passkey or a provider from then on',
    message: 'Password removed successfully',
    description:
      'Refused when the account has neither a passkey nor a linked provider. All other sessions that began with the ' +
      'password end, and mailed reset codes stop working. Needs a recent proof of identity.',
    refusals: [noPassword, onlyWayIn, reauthenticationRequired],
    limits: ['security'],
    async handle({ caller, request }) {
      await admitChange(parts, request, caller)
      const { userId } = caller
      const clientInfo = clientInfoOf(request)
      const cookies = await database.transaction(async (tx) => {
        const user = await lockProvenCaller(tx, parts, caller)
        if (user.password_hash === null) throw new Refusal(noPassword)
        if (!(await hasSignInMethod(tx, { ...user, password_hash: null }))) throw new Refusal(onlyWayIn)
        await tx.updateTable('users').set({ password_hash: null }).where('id', '=', userId).execute()
        await forgetSecondFactorProofs(tx, userId)
        await tx.deleteFrom('codes').where('user_id', '=', userId).where('purpose', '=', 'reset').execute()
        const { sessionId, cookies } = await browserSession.renew(tx, caller)
        await endSessions(tx, now, userId, { except: sessionId, authMethod: 'email' })
        await recordEvent(tx, now, { type: 'password.removed', userId, sessionId, clientInfo })
        await outbox.enqueue(tx, user.email, messages.passwordRemoved(user.first_name, clientInfo))
        return cookies
      })
      return { cookies }
    },
  })
}
