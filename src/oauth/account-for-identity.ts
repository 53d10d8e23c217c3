import { insertUser } from '../accounts/new-user.ts'
import type { AccountParts } from '../accounts/parts.ts'
import { removeUnverified } from '../accounts/unverified.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { Refusal } from '../http/refusal.ts'
import type { Origin } from '../sessions/client-info.ts'
import { lockUser } from '../sessions/lock-user.ts'
import { recordEvent } from '../sessions/security-events.ts'
import { cleanIdentity } from './clean-identity.ts'
import type { Identity, Provider } from './identity.ts'
import { linkIdentity, ownerOf } from './link-identity.ts'

export const noVerifiedEmail = {
  status: 400,
  message: 'Your account at the provider has no verified e-mail address',
}

/**
 * The account that an identity signs in to: the one it is linked with, else the one with the address that the provider
 * has verified, else a new one. An identity that its owner has unlinked signs in to none.
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
  for (;;) {
    const created = await insertUser(tx, now, {
      id: await removeUnverified(tx, email),
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
      await linkIdentity(tx, parts, identity, created, origin)
      return created
    }
    const user = await lockUser(tx, { email })
    // Registered, or deleted, in this very moment: an account that nobody has verified has to make room all the same.
    if (!user || user.email_verified_at === null) continue
    if (await linkIdentity(tx, parts, identity, user, origin)) {
      const { outbox, messages } = parts
      await outbox.post(tx, email, messages.signInLinked(user.first_name, title, origin))
    }
    return user
  }
}

/** The account is held before it is believed: meanwhile it may be deleted, or the link removed. */
async function findLinked(tx: Tx, identity: Identity): Promise<UserRow | undefined> {
  const id = await ownerOf(tx, 'linked_accounts', identity)
  const user = id === undefined ? undefined : await lockUser(tx, { id })
  return user && (await ownerOf(tx, 'linked_accounts', identity)) === user.id ? user : undefined
}
