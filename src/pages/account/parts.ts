import type { OAuthParts } from '../../oauth/parts.ts'

/** What the account pages work with: what they show; what they do, the operations of the API do. */
export type AccountPageParts = Pick<
  OAuthParts,
  'config' | 'database' | 'store' | 'codes' | 'limits' | 'addressOf' | 'providers' | 'browserSession' | 'noticeCookie'
>
