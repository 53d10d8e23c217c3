import { operation } from '../http/operation.ts'
import { invalid, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockProvenCaller, reauthenticationRequired, requireOwnerProof } from '../proofs/recent-proof.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { isOwnPassword, wrongPassword } from './check-own-password.ts'
import { eraseAccount } from './erase-account.ts'
import { Password } from './fields.ts'
import { isLastOwner, lastOwner, lockWithOwners } from './last-owner.ts'
import type { AccountParts } from './parts.ts'

export function deleteAccount(parts: AccountParts) {
  const { database, clock } = parts
  const { now } = database
  return operation({
    id: 'deleteAccount',
    summary: 'Delete the account and everything that belongs to it',
    message: 'Account deleted successfully',
    description:
      'An account with a password gives it. An account without one sends no body, and needs a recent proof of identity. ' +
      'An owner with a passkey or an authenticator app must have used it in this session.',
    body: Type.Object({ password: Type.Optional(Password) }),
    refusals: [wrongPassword, reauthenticationRequired, lastOwner],
    limits: ['login', 'password'],
    async handle({ body: { password }, caller, request }) {
      const { user } = caller
      if (user.password_hash !== null) {
        if (password === undefined) throw invalid('password', 'required', 'Password is required')
        if (!(await isOwnPassword(parts, request, caller, password))) throw new Refusal(wrongPassword)
      }
      await database.transaction(async (tx) => {
        // The role may have changed since the request was authenticated.
        if (isLastOwner(await lockWithOwners(tx, user.id), user.id, clock.now())) throw new Refusal(lastOwner)
        const isProven = user.password_hash !== null
        const locked = isProven ? await lockCaller(tx, now, caller) : await lockProvenCaller(tx, parts, caller)
        await requireOwnerProof(tx, { ...caller, user: locked })
        // The password may have been changed while it was verified.
        if (locked.password_hash !== user.password_hash) throw new Refusal(wrongPassword)
        await eraseAccount(tx, parts, locked)
      })
      await database.eraseDeletedContent()
      return {}
    },
  })
}
