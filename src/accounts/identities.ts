import type { Selectable } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { isoTime } from '../lib/dates.ts'

/** A linked account, as the account holder downloads it and as an export has it. */
export function linkedAccountOf(row: Selectable<Tables['linked_accounts']>) {
  const { provider, issuer, subject, username, linked_at } = row
  return { provider, issuer, subject, username, linkedAt: isoTime(linked_at) }
}

export function unlinkedIdentityOf(row: Selectable<Tables['unlinked_identities']>) {
  const { provider, issuer, subject, unlinked_at } = row
  return { provider, issuer, subject, unlinkedAt: isoTime(unlinked_at) }
}
