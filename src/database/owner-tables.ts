import type { Generated } from 'kysely'

export const ROLES = ['member', 'owner'] as const
export type Role = (typeof ROLES)[number]

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
  /** A JSON object: the changed fields, each with `from` and `to`, and other facts about the action. */
  details: Generated<string>
  browser: string
  os: string
  client_ip: string
  created_at: number
  /** Orders the rows of one process that have the same created_at. */
  sequence: Generated<number>
}
