import type { AccountParts } from '../accounts/parts.ts'
import type { SiteIdentity } from '../mail/site-identity.ts'

/** The dependencies of the operations that change the second factors of an account. */
export interface FactorParts extends AccountParts {
  siteIdentity: SiteIdentity
}
