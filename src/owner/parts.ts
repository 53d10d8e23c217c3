import type { AccountParts } from '../accounts/parts.ts'

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
  | 'mayMail'
  | 'emailUndos'
  | 'invitations'
>
