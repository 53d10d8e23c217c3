import type { OAuthParts } from '../../oauth/parts.ts'

/** The dependencies of the account pages. Changes are made by the operations of the API. */
export type AccountPageParts = Pick<
  OAuthParts,
  'config' | 'database' | 'store' | 'codes' | 'limits' | 'addressOf' | 'providers' | 'browserSession' | 'noticeCookie'
>
