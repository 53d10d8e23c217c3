import type { Config } from '../config/config.ts'
import type { AuthMethod } from '../database/tables.ts'
import type { Limits } from '../http/limits.ts'
import type { Request } from '../http/request.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import type { FailedPasswords } from '../sessions/failed-passwords.ts'
import type { SessionParts } from '../sessions/start.ts'
import type { AdmitHash } from './admit-hash.ts'
import type { Codes } from './codes.ts'
import type { RecipientLimit } from './recipient-limit.ts'
import type { AccountStore } from './store.ts'

/** What the account operations work with. */
export interface AccountParts extends SessionParts {
  config: Config
  store: AccountStore
  codes: Codes
  mayMail: RecipientLimit
  /** The title of a sign-in provider, for people. */
  providerTitle(provider: AuthMethod): string
  limits: Limits
  browserSession: BrowserSession
  failedPasswords: FailedPasswords
  /** The IP address a request comes from. */
  ipOf(request: Request): string
  /** Whom the rate limits count a request against. */
  addressOf(request: Request): string
  admitHash: AdmitHash
}
