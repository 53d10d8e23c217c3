import { randomBytes } from 'node:crypto'
import type { Clock } from '../database/clock.ts'
import type { Tx } from '../database/engine.ts'
import { isSameText } from '../lib/same-text.ts'

/** WebAuthn Level 3 (section 15.1) recommends 5 to 10 minutes for ceremonies with user verification. */
export const CHALLENGE_LIFETIME_MS = 5 * 60_000
// The clock of an instance may be behind that of the database, so a used challenge is stored for longer than it lives.
const CLOCK_TOLERANCE_MS = 60_000

const NONCE_BYTES = 16
const EXPIRY_BYTES = 6
const MAC_BYTES = 32
const CHALLENGE_BYTES = NONCE_BYTES + EXPIRY_BYTES + MAC_BYTES

/**
 * A browser may create a passkey without asking the user (`conditional-registration`), see `passkey-registration.ts`.
 */
type ChallengePurpose = 'sign-in' | 'reauthentication' | 'registration' | 'conditional-registration'

/** The account and the session that a challenge is for. A challenge for a sign-in is for anyone. */
export interface ChallengeSubject {
  userId: string
  sessionId: string
}

/** A challenge whose MAC, purpose, subject and expiry are verified. `use` decides whether it was used before. */
export interface VerifiedChallenge {
  key: string
  expiresAt: number
}

export interface WebAuthnChallenges {
  issue(purpose: ChallengePurpose, subject?: ChallengeSubject): string
  verify(challenge: string, purpose: ChallengePurpose, subject?: ChallengeSubject): VerifiedChallenge | undefined
  /** Marks the challenge as used, in the transaction that it authorises. Returns false if it was used before. */
  use(tx: Tx, challenge: VerifiedChallenge): Promise<boolean>
}

/**
 * Challenges of WebAuthn ceremonies: a nonce, the time of expiry and a MAC over both, the purpose and the subject. The
 * service stores nothing when it issues one, so anonymous requests for options write no rows. A challenge is stored
 * when it is used, after the signature of a registered credential was verified.
 */
export function createWebAuthnChallenges(
  hash: (text: string) => string,
  clock: Pick<Clock, 'now'>,
): WebAuthnChallenges {
  function macOf(head: Buffer, purpose: ChallengePurpose, subject: ChallengeSubject | undefined): string {
    const { userId = '', sessionId = '' } = subject ?? {}
    return hash(JSON.stringify(['webauthn-challenge', purpose, userId, sessionId, head.toString('base64url')]))
  }

  return {
    issue(purpose, subject) {
      const head = Buffer.alloc(NONCE_BYTES + EXPIRY_BYTES)
      randomBytes(NONCE_BYTES).copy(head)
      head.writeUIntBE(clock.now() + CHALLENGE_LIFETIME_MS, NONCE_BYTES, EXPIRY_BYTES)
      const mac = Buffer.from(macOf(head, purpose, subject), 'base64url')
      return Buffer.concat([head, mac]).toString('base64url')
    },
    verify(challenge, purpose, subject) {
      const bytes = Buffer.from(challenge, 'base64url')
      // Node also decodes other spellings of the same bytes.
      if (bytes.length !== CHALLENGE_BYTES || bytes.toString('base64url') !== challenge) return undefined
      const head = bytes.subarray(0, -MAC_BYTES)
      const mac = bytes.subarray(-MAC_BYTES).toString('base64url')
      if (!isSameText(mac, macOf(head, purpose, subject))) return undefined
      const expiresAt = head.readUIntBE(NONCE_BYTES, EXPIRY_BYTES)
      if (expiresAt <= clock.now()) return undefined
      return { key: head.subarray(0, NONCE_BYTES).toString('base64url'), expiresAt }
    },
    async use(tx, { key, expiresAt }) {
      const used = await tx
        .insertInto('used_challenges')
        .values({ key, expires_at: expiresAt + CLOCK_TOLERANCE_MS })
        .onConflict((conflict) => conflict.doNothing())
        .returning('key')
        .executeTakeFirst()
      return used !== undefined
    },
  }
}
