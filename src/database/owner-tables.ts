import type { Generated } from 'kysely'

/**
 * The audit log: every change that an owner has made, also those of the command line. Triggers of the database refuse
 * updates and deletions. The rows refer to accounts without a foreign key, so that they outlive the accounts, and they
 * have no address or name, so that the deletion of an account deletes its personal data.
 */
export interface OwnerActionsTable {
  id: string
  /** Null for an action of the command line. */
  owner_id: string | null
  action: string
  /** The account that was changed. Null for a change of the site. */
  user_id: string | null
  /** A JSON object: the changed fields, each with `from` and `to`, and other details of the action. */
  details: Generated<string>
  browser: string
  os: string
  client_ip: string
  created_at: number
  /** Orders the rows of one process that have the same created_at. */
  sequence: Generated<number>
}

/** Settings that owners change while the service runs. A setting without a row has its default. */
export interface SiteSettingsTable {
  name: string
  /** Any JSON value. */
  value: string
  changed_at: number
}

/** Invitations to create an account, one for each address: a new one replaces the one before. */
export interface InvitationsTable {
  id: string
  email: string
  /** A keyed hash of the token in the mailed link. */
  token_hash: string
  created_at: number
  expires_at: number
  /** The owner who invited. Null for an invitation of the command line. The row outlives the account of that owner. */
  created_by: string | null
  /** The account that was created with the invitation. */
  user_id: string | null
  used_at: number | null
  revoked_at: number | null
}
