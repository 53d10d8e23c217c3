import type { AccountParts } from '../accounts/parts.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { cleanIdentity } from './clean-identity.ts'
import type { Identity, Provider } from './identity.ts'

export const wasUnlinked = declareRefusal({
  status: 403,
  code: 'identity_unlinked',
  message: 'This sign-in was removed from its account: log in another way and connect it again',
  when: 'The account holder has unlinked the identity, and has not linked it again',
})
export const linkedElsewhere = declareRefusal({
  status: 409,
  code: 'identity_linked_elsewhere',
  message: 'This sign-in belongs to another account',
  when: 'The identity is linked with another account',
})

/**
 * Links an identity that signs in with a verified address. Returns false when the account has the link, which a
 * concurrent sign-in may have inserted. Refuses an identity that was unlinked from any account: only a signed-in user
 * can link it.
 */
export async function linkIdentity(
  tx: Tx,
  parts: Pick<AccountParts, 'database'>,
  identity: Identity,
  user: UserRow,
  clientInfo: ClientInfo,
): Promise<boolean> {
  const isNew = await insertLink(tx, parts, identity, user, clientInfo)
  // Read after the insert, because the insert waits for a concurrent transaction that unlinks the same identity.
  if (isNew && (await accountIdIn(tx, 'unlinked_identities', identity))) throw new Refusal(wasUnlinked)
  return isNew
}

async function insertLink(
  tx: Tx,
  { database }: Pick<AccountParts, 'database'>,
  identity: Identity,
  user: UserRow,
  clientInfo: ClientInfo,
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
    if ((await accountIdIn(tx, 'linked_accounts', identity)) !== user.id) throw new Refusal(linkedElsewhere)
    return false
  }
  await recordEvent(tx, database.now, { type: 'sign-in.linked', userId: user.id, clientInfo })
  return true
}

/**
 * Links an identity to the account of the signed-in user. Its e-mail address may differ, and it may have been unlinked
 * from this account before. A row of unlinked_identities for another account stays, so the identity never signs in to
 * that account by its address.
 */
export async function connectIdentity(
  tx: Tx,
  parts: Pick<AccountParts, 'database' | 'outbox' | 'messages'>,
  { title }: Provider,
  providerIdentity: Identity,
  user: UserRow,
  clientInfo: ClientInfo,
): Promise<void> {
  const identity = cleanIdentity(providerIdentity)
  await tx
    .deleteFrom('unlinked_identities')
    .where('provider', '=', identity.provider)
    .where('issuer', '=', identity.issuer)
    .where('subject', '=', identity.subject)
    .where('user_id', '=', user.id)
    .execute()
  if (await insertLink(tx, parts, identity, user, clientInfo)) {
    await parts.outbox.enqueue(tx, user.email, parts.messages.signInConnected(user.first_name, title, clientInfo))
  }
}

/** The id of the account that an identity is linked with, or was unlinked from, depending on the table. */
export async function accountIdIn(
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
