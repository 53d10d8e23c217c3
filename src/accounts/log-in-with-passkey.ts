import { publicOperation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { PasskeyAssertion } from '../proofs/passkey-schemas.ts'
import { usePasskey, verifyPasskey } from '../proofs/passkeys.ts'
import { sessionOf, signIn } from '../proofs/sign-in.ts'
import { accountSuspended } from '../sessions/suspension.ts'
import type { AccountParts } from './parts.ts'
import { refreshLinks, SignedIn, signedIn } from './signed-in.ts'

// One response for every fault: an unknown passkey, a wrong signature, a used challenge.
const invalidPasskey = declareRefusal({
  status: 401,
  code: 'invalid_passkey',
  message: 'This passkey cannot be used to sign in',
  when: 'No account has the passkey, its signature is wrong, or its challenge was used or has expired',
})

export function logInWithPasskey(parts: AccountParts) {
  const { database, tokens, clientInfoOf } = parts
  return publicOperation({
    id: 'logInWithPasskey',
    summary: 'Log in with a passkey',
    message: 'Login successful',
    description:
      'The passkey names the account, so nothing else is needed. It counts as both factors, because the authenticator ' +
      'has verified the user.',
    body: Type.Object({ passkey: PasskeyAssertion }),
    data: SignedIn,
    refusals: [invalidPasskey, accountSuspended],
    links: refreshLinks,
    async handle({ body: { passkey }, request }) {
      const clientInfo = clientInfoOf(request)
      const verified = await verifyPasskey(parts, passkey)
      if (!verified) throw new Refusal(invalidPasskey)
      const { user, result } = await database.transaction(async (tx) => {
        const used = await usePasskey(tx, parts, verified, clientInfo)
        if (!used) throw new Refusal(invalidPasskey)
        const { user, methods } = used
        return { user, result: await signIn(tx, parts, user, 'passkey', methods, clientInfo, request) }
      })
      return { data: signedIn(tokens, sessionOf(result), clientInfo, user) }
    },
  })
}
