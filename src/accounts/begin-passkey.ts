import { operation, publicOperation } from '../http/operation.ts'
import { Type } from '../http/schema.ts'
import { describePasskeys } from '../proofs/passkey-descriptors.ts'
import { PasskeyRequestOptions } from '../proofs/passkey-schemas.ts'
import type { RelyingParty } from '../proofs/webauthn.ts'
import { CHALLENGE_LIFETIME_MS } from '../proofs/webauthn-challenges.ts'
import type { AccountParts } from './parts.ts'

const Options = Type.Object({ options: PasskeyRequestOptions }, { title: 'PasskeyRequest' })

/** The same for everyone, and stores nothing: the browser offers the passkeys that it has for this site. */
export function beginPasskeyLogIn({ webauthn: { challenges, relyingParty } }: Pick<AccountParts, 'webauthn'>) {
  return publicOperation({
    id: 'beginPasskeyLogIn',
    summary: 'Begin to log in with a passkey: the options for the browser',
    message: 'Options created successfully',
    description:
      'Give the options to `navigator.credentials.get`, and the credential that it returns to POST /api/log-in/passkey.',
    data: Options,
    handle: () => ({ data: { options: requestOptions(relyingParty, challenges.issue('sign-in'), []) } }),
  })
}

export function beginPasskeyProof({ database, webauthn }: Pick<AccountParts, 'database' | 'webauthn'>) {
  const { challenges, relyingParty } = webauthn
  return operation({
    id: 'beginPasskeyProof',
    summary: 'Begin to prove your identity with a passkey: the options for the browser',
    message: 'Options created successfully',
    description:
      'Give the options to `navigator.credentials.get`, and the credential that it returns to POST /api/reauthenticate ' +
      'as `passkey`. They work for the session of the caller.',
    data: Options,
    async handle({ caller: { userId, sessionId } }) {
      const allowed = await describePasskeys(database.query, userId)
      const challenge = challenges.issue('reauthentication', { userId, sessionId })
      return { data: { options: requestOptions(relyingParty, challenge, allowed) } }
    },
  })
}

function requestOptions(
  { id }: RelyingParty,
  challenge: string,
  allowCredentials: Awaited<ReturnType<typeof describePasskeys>>,
) {
  return {
    challenge,
    rpId: id,
    timeout: CHALLENGE_LIFETIME_MS,
    userVerification: 'required',
    allowCredentials,
  }
}
