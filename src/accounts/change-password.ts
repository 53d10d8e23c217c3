import { recordEvent } from '../events/security-events.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, invalid, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import {
  lockProvenCaller,
  reauthenticationRequired,
  recordProof,
  requireOwnerProof,
  requireRecentProof,
} from '../proofs/recent-proof.ts'
import { forgetSecondFactorProofs } from '../proofs/second-factor.ts'
import { endSessions } from '../sessions/end.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { isOwnPassword } from './check-own-password.ts'
import { confirmationOf, newPassword as newPasswordOf, Password } from './fields.ts'
import type { AccountParts } from './parts.ts'
import { hashPassword } from './password-hash.ts'

const SAMPLE_NEW_PASSWORD = 'Analytical-Engine-42'

const wrongPassword = declareRefusal({
  status: 400,
  code: 'wrong_current_password',
  message: 'Current password is incorrect',
  when: 'The password of the account is another one',
})

export function changePassword(parts: AccountParts) {
  const { config, database, outbox, messages, admitHash, refuseBreachedPassword, clientInfoOf, browserSession } = parts
  return operation({
    id: 'changePassword',
    summary: 'Change the password, or set the first one',
    message: 'Password changed successfully',
    description:
      'An account with a password gives it as currentPassword. An account that only ever signed in through a ' +
      'provider sends the new password alone, and needs a recent proof of identity. An owner with a passkey or an ' +
      'authenticator app must have used it in this session. All other sessions end, and mailed reset codes stop ' +
      'working. The session of the caller keeps its id and its tokens.',
    body: Type.Object({
      currentPassword: Type.Optional(Password),
      newPassword: newPasswordOf(config.passwordPolicy, SAMPLE_NEW_PASSWORD),
      confirmPassword: confirmationOf('newPassword', SAMPLE_NEW_PASSWORD),
    }),
    refusals: [wrongPassword, reauthenticationRequired],
    limits: ['login', 'password'],
    async handle({ body: { currentPassword, newPassword }, caller, request }) {
      const { user } = caller
      const clientInfo = clientInfoOf(request)
      const currentHash = user.password_hash
      if (currentHash !== null) {
        if (currentPassword === undefined) throw invalid('currentPassword', 'required', 'Current password is required')
        if (!(await isOwnPassword(parts, request, caller, currentPassword))) throw new Refusal(wrongPassword)
      } else await requireRecentProof(database.query, parts, caller)
      const client = await admitHash(request)
      await refuseBreachedPassword('newPassword', newPassword)
      const passwordHash = await hashPassword(newPassword, client)
      const cookies = await database.transaction(async (tx) => {
        const { now } = database
        const locked =
          currentHash === null ? await lockProvenCaller(tx, parts, caller) : await lockCaller(tx, now, caller)
        await requireOwnerProof(tx, { ...caller, user: locked })
        const changed = await tx
          .updateTable('users')
          .set({ password_hash: passwordHash })
          .where('id', '=', user.id)
          // Of two concurrent changes, the second has verified a password that the first has replaced.
          .where('password_hash', currentHash === null ? 'is' : '=', currentHash)
          .returning('id')
          .executeTakeFirst()
        if (!changed) throw new Refusal(wrongPassword)
        const { sessionId, cookies } = await browserSession.renew(tx, caller)
        if (currentHash !== null) await recordProof(tx, now, sessionId, ['pwd'])
        await endSessions(tx, now, user.id, { except: sessionId })
        await forgetSecondFactorProofs(tx, user.id)
        // A reset code that was mailed before this change must not work after it: another person may have requested it.
        await tx.deleteFrom('codes').where('user_id', '=', user.id).execute()
        const type = currentHash === null ? 'password.set' : 'password.changed'
        const message = currentHash === null ? messages.passwordSet : messages.passwordChanged
        await recordEvent(tx, now, { type, userId: user.id, sessionId, clientInfo })
        await outbox.enqueue(tx, user.email, message(user.first_name, clientInfo))
        return cookies
      })
      return { ...(currentHash === null && { message: 'Password set successfully' }), cookies }
    },
  })
}
