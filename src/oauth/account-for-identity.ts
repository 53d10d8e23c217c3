import { admit } from '../accounts/admission.ts'
import { emailReserved } from '../accounts/email-undos.ts'
import { insertUser } from '../accounts/new-user.ts'
import { grantOwnerRole } from '../accounts/owner-email.ts'
import type { AccountParts } from '../accounts/parts.ts'
import { removeUnverified } from '../accounts/unverified.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { lockUser } from '../sessions/lock-user.ts'
import { cleanIdentity } from './clean-identity.ts'
import type { Identity, Provider } from './identity.ts'
import { accountIdIn, linkIdentity } from './link-identity.ts'

export const noVerifiedEmail = declareRefusal({
  status: 400,
  code: 'no_verified_email',
  message: 'Your account at the provider has no verified e-mail address',
  when: 'The provider gives no e-mail address that it has verified',
})

/**
 * The account that an identity signs in to: the one that the identity is linked with, else the one with the address
 * that the provider has verified, else a new one. An identity that the account holder has unlinked is refused.
 */
export async function accountFor(
  tx: Tx,
  parts: AccountParts,
  { title }: Provider,
  providerIdentity: Identity,
  clientInfo: ClientInfo,
): Promise<UserRow> {
  const linked = await findLinked(tx, providerIdentity)
  if (linked) return linked
  const identity = cleanIdentity(providerIdentity)
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
      preferredUsername: identity.username,
      avatar: identity.avatar,
    })
    if (created) {
      await admit(tx, parts, created)
      if (await parts.emailUndos.isReserved(tx, email, created.id)) throw new Refusal(emailReserved)
      await recordEvent(tx, now, { type: 'account.created', userId: created.id, clientInfo })
      for (const type of ['account.created', 'account.verified'] as const)
        await parts.webhookEvents.enqueue(tx, type, { userId: created.id, email })
      await linkIdentity(tx, parts, identity, created, clientInfo)
      return grantOwnerRole(tx, parts, created, clientInfo)
    }
    const user = await lockUser(tx, { email })
    // Another transaction has registered or deleted an account with this address since the insert. The loop tries
    // again, and replaces an unverified account.
    if (!user || user.email_verified_at === null) continue
    if (await linkIdentity(tx, parts, identity, user, clientInfo)) {
      const { outbox, messages } = parts
      await outbox.enqueue(tx, email, messages.signInLinked(user.first_name, title, clientInfo))
    }
    return user
  }
}

/**
 * The account that the identity is linked with, locked. The link is read again after the lock, because another
 * transaction may have removed it before.
 */
async function findLinked(tx: Tx, identity: Identity): Promise<UserRow | undefined> {
  const id = await accountIdIn(tx, 'linked_accounts', identity)
  const user = id === undefined ? undefined : await lockUser(tx, { id })
  return user && (await accountIdIn(tx, 'linked_accounts', identity)) === user.id ? user : undefined
}
