import type { AccountParts } from '../accounts/parts.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { Refusal } from '../http/refusal.ts'
import type { Origin } from '../sessions/client-info.ts'
import { recordEvent } from '../sessions/security-events.ts'
import { cleanIdentity } from './clean-identity.ts'
import type { Identity, Provider } from './identity.ts'

export const wasUnlinked = {
  status: 403,
  message: 'This sign-in was removed from its account: log in another way and connect it again',
}
export const linkedElsewhere = { status: 409, message: 'This sign-in belongs to another account' }

/**
 * Links an identity that signs in with a verified address. Returns whether the link is new: another sign-in of the same
 * person may have been faster. An identity that was unlinked from any account is refused: only a signed-in owner links it.
 */
export async function linkIdentity(
  tx: Tx,
  parts: Pick<AccountParts, 'database'>,
  identity: Identity,
  user: UserRow,
  origin: Origin,
): Promise<boolean> {
  const isNew = await insertLink(tx, parts, identity, user, origin)
  // Read after the insert: the insert waits for a transaction that is just unlinking the same identity.
  if (isNew && (await ownerOf(tx, 'unlinked_identities', identity))) throw new Refusal(wasUnlinked)
  return isNew
}

async function insertLink(
  tx: Tx,
  { database }: Pick<AccountParts, 'database'>,
  identity: Identity,
  user: UserRow,
  origin: Origin,
): Promise<boolean> {
  const { provider, issuer, subject, username, verifiedEmail = '' } = identity
  const linked = await tx
    .insertInto('linked_accounts')
    .values({
      provider,
      issuer,
      subject,
      user_id: user.id,
      username: username ?? verifiedEmail,
      linked_at: database.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (!linked) {
    if ((await ownerOf(tx, 'linked_accounts', identity)) !== user.id) throw new Refusal(linkedElsewhere)
    return false
  }
  await recordEvent(tx, database.now, { type: 'sign-in.linked', userId: user.id, origin })
  return true
}

/**
 * The signed-in owner links an identity, whatever its e-mail address, also one that was unlinked before. Other accounts that
 * it was unlinked from keep that: it never signs in to them by its address again.
 */
export async function connectIdentity(
  tx: Tx,
  parts: Pick<AccountParts, 'database' | 'outbox' | 'messages'>,
  { title }: Provider,
  said: Identity,
  user: UserRow,
  origin: Origin,
): Promise<void> {
  const identity = cleanIdentity(said)
  await tx
    .deleteFrom('unlinked_identities')
    .where('provider', '=', identity.provider)
    .where('issuer', '=', identity.issuer)
    .where('subject', '=', identity.subject)
    .where('user_id', '=', user.id)
    .execute()
  if (await insertLink(tx, parts, identity, user, origin)) {
    await parts.outbox.post(tx, user.email, parts.messages.signInConnected(user.first_name, title, origin))
  }
}

/** The account that an identity is linked with, or was unlinked from. */
export async function ownerOf(
  tx: Tx,
  table: 'linked_accounts' | 'unlinked_identities',
  { provider, issuer, subject }: Identity,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom(table)
    .select('user_id')
    .where('provider', '=', provider)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.user_id
}
