import type { Clock } from '../../database/clock.ts'
import type { OAuthParts } from '../../oauth/parts.ts'

/** The dependencies of the pages of the owner's desk. Changes are made by the operations of the API. */
export type DeskParts = Pick<
  OAuthParts,
  'config' | 'database' | 'limits' | 'addressOf' | 'browserSession' | 'noticeCookie' | 'providerTitle'
> & { clock: Pick<Clock, 'now'> }
