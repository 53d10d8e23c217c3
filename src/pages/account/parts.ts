import type { FactorParts } from '../../factors/parts.ts'
import type { OAuthParts } from '../../oauth/parts.ts'
import type { SecondFactorParts } from '../../proofs/second-factor.ts'

/** The dependencies of the account pages. Changes are made by the operations of the API. */
export type AccountPageParts = Pick<
  OAuthParts & FactorParts,
  | 'config'
  | 'database'
  | 'store'
  | 'codes'
  | 'emailUndos'
  | 'invitations'
  | 'limits'
  | 'addressOf'
  | 'providers'
  | 'browserSession'
  | 'webauthn'
  | 'noticeCookie'
  | 'siteIdentity'
  | 'secondFactorCookie'
  | keyof SecondFactorParts
>
