import type { Config } from '../config/config.ts'
import type { Clock } from '../database/clock.ts'
import type { AuthMethod } from '../database/enumerations.ts'
import type { Request } from '../http/request.ts'
import type { RateLimits } from '../limits/limits.ts'
import type { RefusedProofs } from '../proofs/refused-proofs.ts'
import type { SecondFactorParts } from '../proofs/second-factor.ts'
import type { WebAuthn } from '../proofs/webauthn.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import type { SessionParts } from '../sessions/start.ts'
import type { AdmitHash } from './admit-hash.ts'
import type { RefuseBreachedPassword } from './breached-passwords.ts'
import type { Codes } from './codes.ts'
import type { EmailUndos } from './email-undos.ts'
import type { Invitations } from './invitations.ts'
import type { FindSignerKey } from './password-hash.ts'
import type { AccountStore } from './store.ts'

/** The dependencies of the account operations. */
export interface AccountParts extends SessionParts, SecondFactorParts {
  config: Config
  clock: Clock
  store: AccountStore
  codes: Codes
  emailUndos: EmailUndos
  invitations: Invitations
  /** The display name of a sign-in provider. */
  providerTitle(provider: AuthMethod): string
  limits: RateLimits
  browserSession: BrowserSession
  webauthn: WebAuthn
  refusedProofs: RefusedProofs
  /** The IP address of the client. */
  ipOf(request: Request): string
  /** The client's IP address or network, which the rate limits use as a counter key. */
  addressOf(request: Request): string
  admitHash: AdmitHash
  findSignerKey: FindSignerKey
  refuseBreachedPassword: RefuseBreachedPassword
}
