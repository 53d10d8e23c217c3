import type { PasskeyAttestation } from './passkey-schemas.ts'
import type { PasskeyParts } from './passkeys.ts'
import { challengeIn, loadHelpers, loadLibrary } from './webauthn.ts'
import type { ChallengeSubject, VerifiedChallenge } from './webauthn-challenges.ts'

/** COSE algorithms in the order of preference: Ed25519, ES256 and RS256, which Windows Hello needs. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257]

// An RSA key of 4096 bits has less than 600 bytes. Verification with a larger key would take longer at each sign-in.
const MAX_PUBLIC_KEY_BYTES = 1024

export interface VerifiedNewPasskey {
  id: string
  publicKey: string
  signCount: number
  transports: string[]
  isBackedUp: boolean
  aaguid: string
  challenge: VerifiedChallenge
}

/**
 * Verifies a new passkey (WebAuthn Level 3, section 7.1) that was created for this session. Returns undefined for every
 * fault. The browser may have created it without asking the user (section 5.1.3, conditional mediation), if the options
 * were for that: then the authenticator states neither presence nor verification. A sign-in always needs both.
 */
export async function verifyNewPasskey(
  { webauthn: { challenges, relyingParty } }: Pick<PasskeyParts, 'webauthn'>,
  passkey: PasskeyAttestation,
  subject: ChallengeSubject,
): Promise<VerifiedNewPasskey | undefined> {
  const text = challengeIn(passkey.response.clientDataJSON)
  if (text === undefined) return undefined
  const asked = challenges.verify(text, 'registration', subject)
  const challenge = asked ?? challenges.verify(text, 'conditional-registration', subject)
  if (!challenge) return undefined
  const attestationObject = await withoutAttestation(passkey.response.attestationObject)
  if (!attestationObject) return undefined
  const { verifyRegistrationResponse } = await loadLibrary()
  const result = await verifyRegistrationResponse({
    response: {
      ...passkey,
      clientExtensionResults: {},
      response: { clientDataJSON: passkey.response.clientDataJSON, attestationObject },
    },
    expectedChallenge: text,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserPresence: asked !== undefined,
    requireUserVerification: asked !== undefined,
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
  }).catch(() => undefined)
  if (!result?.verified) return undefined
  const { credential, credentialBackedUp, aaguid } = result.registrationInfo
  if (credential.id !== passkey.id || credential.publicKey.length > MAX_PUBLIC_KEY_BYTES) return undefined
  return {
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    signCount: credential.counter,
    transports: passkey.response.transports ?? [],
    isBackedUp: credentialBackedUp,
    aaguid,
    challenge,
  }
}

/**
 * The attestation object with the format `none`. The options ask for no attestation, and the service trusts none. Some
 * authenticators send a statement nevertheless. It is not verified, because the library would parse certificates of the
 * client and fetch revocation lists from addresses in them.
 */
async function withoutAttestation(encoded: string): Promise<string | undefined> {
  const { decodeAttestationObject, isoCBOR } = await loadHelpers()
  try {
    const authData: unknown = decodeAttestationObject(new Uint8Array(Buffer.from(encoded, 'base64url'))).get('authData')
    if (!(authData instanceof Uint8Array)) return undefined
    const parts: [string, string | Map<string, string> | Uint8Array][] = [
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]
    return Buffer.from(isoCBOR.encode(new Map(parts))).toString('base64url')
  } catch {
    return undefined
  }
}
