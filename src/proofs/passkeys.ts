import type { ExpressionBuilder } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Tables, UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { lockUser } from '../sessions/lock-user.ts'
import type { ProofMethod } from '../sessions/proof-methods.ts'
import type { GuessLimit } from './guess-limit.ts'
import type { PasskeyAssertion } from './passkey-schemas.ts'
import { challengeIn, loadLibrary, type WebAuthn } from './webauthn.ts'
import type { ChallengeSubject, VerifiedChallenge } from './webauthn-challenges.ts'

/** For a signed-in caller, or after a first factor. A sign-in has a refusal of its own. */
export const passkeyNotAccepted = declareRefusal({
  status: 400,
  code: 'passkey_not_accepted',
  message: 'This passkey was not accepted, please try again',
  when: 'The passkey belongs to another account, its signature is wrong, or its challenge was used or has expired',
})

export interface PasskeyParts {
  database: Database
  webauthn: WebAuthn
  guessLimit: GuessLimit
}

/** A passkey whose signature is verified, before its challenge is used. */
interface VerifiedPasskey {
  id: string
  userId: string
  publicKey: string
  challenge: VerifiedChallenge
  signCount: number
  isBackedUp: boolean
  /** `hwk` for a passkey that cannot leave its device, `swk` for one that its provider may synchronise. */
  method: Extract<ProofMethod, 'hwk' | 'swk'>
}

/**
 * Verifies the response of an authenticator (WebAuthn Level 3, section 7.2) with user verification. Without a subject,
 * the challenge must be one for a sign-in; with a subject, one for the re-authentication of that session. Returns
 * undefined for every fault, so that callers cannot tell an unknown passkey from a wrong signature. Runs outside of a
 * transaction: `usePasskey` then uses the challenge in one.
 */
export async function verifyPasskey(
  { database, webauthn: { challenges, relyingParty } }: PasskeyParts,
  passkey: PasskeyAssertion,
  subject?: ChallengeSubject,
): Promise<VerifiedPasskey | undefined> {
  const text = challengeIn(passkey.response.clientDataJSON)
  const challenge = text && challenges.verify(text, subject ? 'reauthentication' : 'sign-in', subject)
  if (!challenge) return undefined
  const stored = await findPasskey(database, passkey.id)
  if (!stored || (subject && stored.user_id !== subject.userId)) return undefined
  const { userHandle } = passkey.response
  // An authenticator may omit the user handle when the options list the allowed credentials (section 6.3.3).
  if (userHandle == null ? !subject : userHandle !== stored.handle) return undefined
  const { verifyAuthenticationResponse } = await loadLibrary()
  const result = await verifyAuthenticationResponse({
    response: { ...passkey, clientExtensionResults: {}, response: { ...passkey.response, userHandle: stored.handle } },
    expectedChallenge: text,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    // The library refuses a counter that goes backwards. With 0 it accepts any, and `usePasskey` compares it.
    credential: { id: passkey.id, publicKey: Buffer.from(stored.public_key, 'base64url'), counter: 0 },
  }).catch(() => undefined)
  if (!result?.verified) return undefined
  const { newCounter, credentialBackedUp, credentialDeviceType } = result.authenticationInfo
  return {
    id: passkey.id,
    userId: stored.user_id,
    publicKey: stored.public_key,
    challenge,
    signCount: newCounter,
    isBackedUp: credentialBackedUp,
    method: credentialDeviceType === 'singleDevice' ? 'hwk' : 'swk',
  }
}

/** Whether any account has the passkey. */
export async function isKnownPasskey(database: Database, id: string): Promise<boolean> {
  return (await findPasskey(database, id)) !== undefined
}

async function findPasskey({ query }: Database, id: string) {
  return query
    .selectFrom('passkeys')
    .innerJoin('passkey_handles', 'passkey_handles.user_id', 'passkeys.user_id')
    .select(['passkeys.user_id', 'passkeys.public_key', 'passkey_handles.handle'])
    .where('passkeys.id', '=', id)
    .executeTakeFirst()
}

/**
 * Uses a verified passkey once, in the transaction that it authorises: locks the account, uses the challenge and
 * updates the passkey. It unblocks an authenticator app that somebody else has blocked with wrong codes. Returns
 * undefined if the challenge was used before, or the passkey was removed since it was verified.
 */
export async function usePasskey(
  tx: Tx,
  { database, webauthn, guessLimit }: PasskeyParts,
  passkey: VerifiedPasskey,
  clientInfo: ClientInfo,
): Promise<{ user: UserRow; methods: ProofMethod[] } | undefined> {
  const { id, userId, signCount, method } = passkey
  const user = await lockUser(tx, { id: userId })
  if (!user || !(await webauthn.challenges.use(tx, passkey.challenge))) return undefined
  const update = tx
    .updateTable('passkeys')
    .set({ is_backed_up: passkey.isBackedUp ? 1 : 0, last_used_at: database.now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('public_key', '=', passkey.publicKey)
    .returning(guessLimit.hasTries(userId).as('has_tries'))
  // A counter that does not grow can mean a copied authenticator (section 6.1.1). Many authenticators always send 0,
  // and some restart at 0 after a reset, so the sign-in goes on and the account holder sees the event.
  const isGrowing = (eb: ExpressionBuilder<Tables, 'passkeys'>) =>
    signCount === 0 ? eb('sign_count', '=', 0) : eb('sign_count', '<', signCount)
  let stored = await update.set({ sign_count: signCount }).where(isGrowing).executeTakeFirst()
  if (!stored) {
    stored = await update.executeTakeFirst()
    if (!stored) return undefined
    await recordEvent(tx, database.now, { type: 'passkey.counter-reversed', userId, clientInfo })
  }
  if (stored.has_tries) await guessLimit.reset(tx, userId)
  return { user, methods: [method] }
}

/** Uses a verified passkey as a proof of identity or as a second factor. Throws if it cannot be used any more. */
export async function provePasskey(
  tx: Tx,
  parts: PasskeyParts,
  passkey: VerifiedPasskey,
  clientInfo: ClientInfo,
): Promise<ProofMethod[]> {
  const used = await usePasskey(tx, parts, passkey, clientInfo)
  if (!used) throw new Refusal(passkeyNotAccepted)
  return used.methods
}
