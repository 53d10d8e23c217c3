import type { AccountParts } from '../accounts/parts.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import { operation } from '../http/operation.ts'
import { Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { PasskeyId } from '../proofs/passkey-schemas.ts'
import { lockProvenCaller, reauthenticationRequired } from '../proofs/recent-proof.ts'
import { forgetSecondFactorProofs, readFactors, turnOffSecondFactor } from '../proofs/second-factor.ts'
import { hasSignInMethod } from '../proofs/sign-in-methods.ts'
import { endSessions } from '../sessions/end.ts'
import { admitChange } from './admit-change.ts'
import { onlyWayIn, passkeyNotFound } from './passkey-fields.ts'

export function removePasskey(parts: AccountParts) {
  const { database, outbox, messages, clientInfoOf, browserSession } = parts
  const { now } = database
  return operation({
    id: 'removePasskey',
    summary: 'Remove a passkey',
    message: 'Passkey removed successfully',
    description:
      'Refused when nothing else would sign in to the account. All other sessions that began with a passkey end. The ' +
      'last passkey of an account without an authenticator app turns two-step sign-in off. Needs a recent proof of ' +
      'identity.',
    body: Type.Object({ id: PasskeyId }),
    data: Type.Object({ id: PasskeyId }, { title: 'PasskeyReference' }),
    refusals: [passkeyNotFound, onlyWayIn, reauthenticationRequired],
    limits: ['security'],
    async handle({ body: { id }, caller, request }) {
      await admitChange(parts, request, caller)
      const { userId } = caller
      const clientInfo = clientInfoOf(request)
      const cookies = await database.transaction(async (tx) => {
        // The row lock lets the second of two concurrent requests see the passkeys that the first has left.
        const user = await lockProvenCaller(tx, parts, caller)
        const removed = await tx
          .deleteFrom('passkeys')
          .where('id', '=', id)
          .where('user_id', '=', userId)
          .returning('id')
          .executeTakeFirst()
        if (!removed) throw new Refusal(passkeyNotFound)
        if (!(await hasSignInMethod(tx, user))) throw new Refusal(onlyWayIn)
        const isTurnedOff = await updateSecondFactor(tx, user)
        const { sessionId, cookies } = await browserSession.renew(tx, caller)
        // A session does not know which passkey began it, and the removed one may be on a lost device.
        await endSessions(tx, now, userId, { except: sessionId, authMethod: 'passkey' })
        await recordEvent(tx, now, { type: 'passkey.removed', userId, sessionId, clientInfo })
        await outbox.enqueue(tx, user.email, messages.passkeyRemoved(user.first_name, isTurnedOff, clientInfo))
        return cookies
      })
      return { data: { id }, cookies }
    },
  })

  /** Turns two-step sign-in off if no second factor is left. Returns whether it did. */
  async function updateSecondFactor(tx: Tx, user: UserRow): Promise<boolean> {
    if (user.second_factor_required === 0) return false
    const { app, passkeys } = await readFactors(tx, parts, user.id)
    const isLeft = app !== undefined || passkeys > 0
    await (isLeft ? forgetSecondFactorProofs(tx, user.id) : turnOffSecondFactor(tx, user.id))
    return !isLeft
  }
}
