import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { AccessToken, Time } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import type { Caller } from '../http/request.ts'
import { type Static, Type } from '../http/schema.ts'
import { isoTime } from '../lib/dates.ts'
import { meansOf } from '../proofs/means.ts'
import { PasskeyAssertion } from '../proofs/passkey-schemas.ts'
import { passkeyNotAccepted, provePasskey, verifyPasskey } from '../proofs/passkeys.ts'
import { recordProof } from '../proofs/recent-proof.ts'
import { verifyAppCode } from '../proofs/second-factor.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { type ProofMethod, ProofMethods } from '../sessions/proof-methods.ts'
import { isOwnPassword, wrongPassword } from './check-own-password.ts'
import { AppCode, Code, Password } from './fields.ts'
import type { AccountParts } from './parts.ts'
import { requireOneOf } from './require-one-of.ts'

const wrongProof = declareRefusal({
  status: 400,
  code: 'invalid_proof',
  message: 'Invalid or expired code',
  when: 'The code is wrong, used or expired, or the account has other means to prove an identity',
})

const Proofs = Type.Object({
  password: Type.Optional(Password),
  mailedCode: Type.Optional(
    Type.String({ ...Code, description: 'From the mail of POST /api/reauthenticate/code', 'x-instead-of': 'password' }),
  ),
  code: Type.Optional(Type.String({ ...AppCode, 'x-instead-of': 'password' })),
  passkey: Type.Optional(Type.Unsafe<PasskeyAssertion>({ ...PasskeyAssertion, 'x-instead-of': 'password' })),
})
type Proofs = Static<typeof Proofs>

export function reauthenticate(parts: AccountParts) {
  const { database, tokens, clientInfoOf, browserSession, refusedProofs } = parts
  const { now } = database
  return operation({
    id: 'reauthenticate',
    summary: 'Prove your identity again',
    message: 'Identity proved',
    description:
      'Send exactly one proof. Sensitive operations need one that is not older than `REAUTHENTICATE_AFTER`; logging in ' +
      'is one too. A mailed code is accepted from accounts that have no other means. The new access token carries the ' +
      'time and the methods as `auth_time` and `amr`.',
    body: Proofs,
    data: Type.Object(
      { accessToken: AccessToken, authenticatedAt: Time, methods: ProofMethods },
      { title: 'IdentityProof' },
    ),
    refusals: [wrongPassword, wrongProof, passkeyNotAccepted],
    limits: ['login', 'password'],
    async handle({ body, caller, request }) {
      requireOneOf(Proofs, body)
      if (body.password !== undefined && !(await isOwnPassword(parts, request, caller, body.password)))
        throw new Refusal(wrongPassword)
      const passkey = body.passkey && (await verifyPasskey(parts, body.passkey, caller))
      if (body.passkey && !passkey) throw new Refusal(passkeyNotAccepted)
      const clientInfo = clientInfoOf(request)
      const proven = await database.transaction(async (tx) => {
        const user = await lockCaller(tx, now, caller)
        const methods = passkey
          ? await provePasskey(tx, parts, passkey, clientInfo)
          : await provenMethods(tx, user, body, caller, clientInfo)
        // The transaction commits, because it contains the count of wrong codes.
        if (!methods) return undefined
        const { sessionId, cookies } = await browserSession.renew(tx, caller)
        const proof = await recordProof(tx, now, sessionId, methods)
        await recordEvent(tx, now, { type: 'identity.proven', userId: user.id, sessionId, clientInfo })
        return { sessionId, proof, cookies }
      })
      if (!proven) {
        refusedProofs.record('identity.refused', caller.userId, clientInfo, caller.sessionId)
        throw new Refusal(wrongProof)
      }
      const { sessionId, proof, cookies } = proven
      return {
        data: {
          accessToken: tokens.issueAccess({ userId: caller.userId, sessionId, role: caller.user.role, ...proof }),
          authenticatedAt: isoTime(proof.authenticatedAt),
          methods: proof.methods,
        },
        cookies,
      }
    },
  })

  async function provenMethods(
    tx: Tx,
    user: UserRow,
    { code, mailedCode }: Proofs,
    caller: Caller,
    clientInfo: ClientInfo,
  ): Promise<ProofMethod[] | undefined> {
    if (code !== undefined) return (await verifyAppCode(tx, parts, user, code, clientInfo)) ? ['otp'] : undefined
    if (mailedCode !== undefined) {
      if (!(await meansOf(tx, user)).includes('mailed-code')) return undefined
      return (await parts.codes.redeem(tx, user, 'reauthentication', mailedCode)) ? ['mail'] : undefined
    }
    // The password was verified before the transaction. It may have been replaced since.
    if (user.password_hash !== caller.user.password_hash) throw new Refusal(wrongPassword)
    return ['pwd']
  }
}
