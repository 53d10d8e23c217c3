import type { AccountParts } from '../accounts/parts.ts'
import type { ContentStatus } from '../content/content-status.ts'
import type { SecretBox } from '../proofs/secret-box.ts'

/** The dependencies of the operations for owners. The command line has no others. */
export type OwnerParts = Pick<
  AccountParts,
  | 'config'
  | 'database'
  | 'clock'
  | 'outbox'
  | 'messages'
  | 'clientInfoOf'
  | 'codes'
  | 'emailUndos'
  | 'invitations'
  | 'limits'
  | 'webhookEvents'
> & { secretBox: SecretBox; contentStatus: Pick<ContentStatus, 'read'> }
