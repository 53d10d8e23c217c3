import { randomBytes } from 'node:crypto'
import type { AccountParts } from '../accounts/parts.ts'
import type { Tx } from '../database/engine.ts'
import { operation } from '../http/operation.ts'
import { Type } from '../http/schema.ts'
import { describePasskeys } from '../proofs/passkey-descriptors.ts'
import { PASSKEY_ALGORITHMS } from '../proofs/passkey-registration.ts'
import { PasskeyCreationOptions } from '../proofs/passkey-schemas.ts'
import { lockProvenCaller, reauthenticationRequired } from '../proofs/recent-proof.ts'
import { CHALLENGE_LIFETIME_MS } from '../proofs/webauthn-challenges.ts'

const HANDLE_BYTES = 32

export function beginPasskeyRegistration(parts: AccountParts) {
  const { database, webauthn } = parts
  const { challenges, relyingParty } = webauthn
  return operation({
    id: 'beginPasskeyRegistration',
    summary: 'Begin to add a passkey: the options for the browser',
    message: 'Options created successfully',
    description:
      'Give the options to `navigator.credentials.create`, and the credential that it returns to POST /api/passkeys. ' +
      'Needs a recent proof of identity.',
    body: Type.Object({
      isConditional: Type.Optional(
        Type.Boolean({
          description:
            'Whether the browser may create the passkey without asking (mediation `conditional`), such as after a ' +
            'log-in with a password from its password manager',
        }),
      ),
    }),
    data: Type.Object({ options: PasskeyCreationOptions }, { title: 'PasskeyRegistration' }),
    refusals: [reauthenticationRequired],
    async handle({ body: { isConditional = false }, caller }) {
      const { userId, sessionId } = caller
      const { user, handle, excludeCredentials } = await database.transaction(async (tx) => ({
        user: await lockProvenCaller(tx, parts, caller),
        handle: await handleOf(tx, userId),
        excludeCredentials: await describePasskeys(tx, userId),
      }))
      const purpose = isConditional ? 'conditional-registration' : 'registration'
      return {
        data: {
          options: {
            challenge: challenges.issue(purpose, { userId, sessionId }),
            rp: { id: relyingParty.id, name: relyingParty.name() },
            user: { id: handle, name: user.email, displayName: `${user.first_name} ${user.last_name}`.trim() },
            pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
            timeout: CHALLENGE_LIFETIME_MS,
            attestation: 'none',
            excludeCredentials,
            authenticatorSelection: {
              residentKey: 'required',
              requireResidentKey: true,
              userVerification: 'required',
            },
          },
        },
      }
    },
  })
}

/**
 * The user handle of an account. It is random, since authenticators show it to anyone who holds them (section 14.6.1).
 */
async function handleOf(tx: Tx, userId: string): Promise<string> {
  await tx
    .insertInto('passkey_handles')
    .values({ user_id: userId, handle: randomBytes(HANDLE_BYTES).toString('base64url') })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { handle } = await tx
    .selectFrom('passkey_handles')
    .select('handle')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return handle
}
