import { holdUser } from '../accounts/hold-user.ts'
import { insertUser } from '../accounts/new-user.ts'
import type { AccountParts } from '../accounts/parts.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { Refusal } from '../http/refusal.ts'
import type { Origin } from '../sessions/device.ts'
import { endSessions } from '../sessions/end.ts'
import { recordEvent } from '../sessions/security-events.ts'
import { cleanIdentity } from './clean-identity.ts'
import type { Identity, Provider } from './identity.ts'

export const noVerifiedEmail = {
  status: 400,
  message: 'Your account at the provider has no verified e-mail address',
}

/**
 * The account that an identity signs in to: the one it is linked with, else the one with the address that the provider
 * has verified, else a new one.
 */
export async function accountFor(
  tx: Tx,
  parts: AccountParts,
  { title }: Provider,
  said: Identity,
  origin: Origin,
): Promise<UserRow> {
  const linked = await findLinked(tx, said)
  if (linked) return linked
  const identity = cleanIdentity(said)
  const { verifiedEmail: email } = identity
  if (!email) throw new Refusal(noVerifiedEmail)

  const { now } = parts.database
  const created = await insertUser(tx, now, {
    email,
    passwordHash: null,
    authMethod: identity.provider,
    isVerified: true,
    firstName: identity.firstName,
    lastName: identity.lastName,
    wishes: identity.username,
    avatar: identity.avatar,
  })
  if (created) {
    await recordEvent(tx, now, { type: 'account.created', userId: created.id, origin })
    await link(tx, parts, identity, created, origin)
    return created
  }
  const user = await holdUser(tx, { email })
  if (!user) throw new Error('an account came and went while it was being linked')
  const owned = user.email_verified_at === null ? await handToOwner(tx, parts, identity, user) : user
  await link(tx, parts, identity, owned, origin)
  if (user.email_verified_at !== null) {
    const { outbox, messages } = parts
    await outbox.post(tx, email, messages.signInLinked(user.first_name, title, origin))
  }
  return owned
}

/** Holds the link while it looks: an account that is being deleted takes its links along, and is not signed in to. */
async function findLinked(tx: Tx, { provider, issuer, subject }: Identity): Promise<UserRow | undefined> {
  const linked = await tx
    .updateTable('linked_accounts')
    .set((eb) => ({ linked_at: eb.ref('linked_at') }))
    .where('provider', '=', provider)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .returning('user_id')
    .executeTakeFirst()
  return linked && tx.selectFrom('users').selectAll().where('id', '=', linked.user_id).executeTakeFirst()
}

/**
 * Nobody has proved to own the address of this account until now: whoever registered it may have done so to be there
 * first. The password, the codes, the sessions and the name that they left go before its owner comes in.
 */
async function handToOwner(tx: Tx, { database }: AccountParts, identity: Identity, user: UserRow): Promise<UserRow> {
  const { now } = database
  await tx.deleteFrom('codes').where('user_id', '=', user.id).execute()
  await endSessions(tx, now, user.id)
  return tx
    .updateTable('users')
    .set({
      password_hash: null,
      email_verified_at: now,
      auth_method: identity.provider,
      first_name: identity.firstName,
      last_name: identity.lastName,
      avatar: identity.avatar ?? '',
    })
    .where('id', '=', user.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function link(
  tx: Tx,
  { database }: AccountParts,
  identity: Identity,
  user: UserRow,
  origin: Origin,
): Promise<void> {
  const { provider, issuer, subject, username, verifiedEmail } = identity
  await tx
    .insertInto('linked_accounts')
    .values({
      provider,
      issuer,
      subject,
      user_id: user.id,
      username: username ?? verifiedEmail ?? '',
      linked_at: database.now,
    })
    // Another sign-in of the same person was quicker, and linked the same account by the same address.
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await recordEvent(tx, database.now, { type: 'sign-in.linked', userId: user.id, origin })
}
