import { recordEvent } from '../events/security-events.ts'
import { admitChange } from '../factors/admit-change.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockProvenCaller, reauthenticationRequired } from '../proofs/recent-proof.ts'
import { forgetSecondFactorProofs } from '../proofs/second-factor.ts'
import { hasSignInMethod } from '../proofs/sign-in-methods.ts'
import { endSessions } from '../sessions/end.ts'
import type { OAuthParts } from './parts.ts'
import { ProviderField } from './providers.ts'

const notLinked = declareRefusal({
  status: 404,
  code: 'linked_account_not_found',
  message: 'Linked account not found',
  when: 'The account has no link with the provider',
})
const lastSignInMethod = declareRefusal({
  status: 400,
  code: 'last_sign_in_method',
  message: 'Cannot unlink the only way to sign in: set a password first',
  when: 'The account has no password, no passkey and no other provider',
})

export function unlinkAccount(parts: OAuthParts) {
  const { database, outbox, messages, providerTitle, clientInfoOf, browserSession } = parts
  return operation({
    id: 'unlinkAccount',
    summary: 'Unlink a provider from the account',
    message: 'Account unlinked successfully',
    description:
      'Refused when nothing else would sign in to it. The identity signs in again only after POST has linked it again. Needs a recent proof of identity.',
    body: Type.Object({ provider: ProviderField }),
    data: Type.Object({ provider: ProviderField }),
    refusals: [notLinked, lastSignInMethod, reauthenticationRequired],
    limits: ['security'],
    async handle({ body, caller, request }) {
      await admitChange(parts, request, caller)
      const { userId } = caller
      const { provider } = body
      const clientInfo = clientInfoOf(request)
      const cookies = await database.transaction(async (tx) => {
        // The row lock lets the second of two concurrent requests see the links that the first has left.
        const user = await lockProvenCaller(tx, parts, caller)
        const unlinked = await tx
          .deleteFrom('linked_accounts')
          .where('user_id', '=', userId)
          .where('provider', '=', provider)
          .returning(['provider', 'issuer', 'subject'])
          .execute()
        if (unlinked.length === 0) throw new Refusal(notLinked)
        if (!(await hasSignInMethod(tx, user))) throw new Refusal(lastSignInMethod)
        await tx
          .insertInto('unlinked_identities')
          .values(unlinked.map((identity) => ({ ...identity, user_id: userId, unlinked_at: database.now })))
          // An instance of the previous version may have linked the identity although this row existed.
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        await forgetSecondFactorProofs(tx, userId)
        const { sessionId, cookies } = await browserSession.renew(tx, caller)
        await endSessions(tx, database.now, userId, { except: sessionId, authMethod: provider })
        await recordEvent(tx, database.now, { type: 'sign-in.unlinked', userId, sessionId, clientInfo })
        const title = providerTitle(provider)
        await outbox.enqueue(tx, user.email, messages.signInUnlinked(user.first_name, title, clientInfo))
        return cookies
      })
      return { data: { provider }, cookies }
    },
  })
}
