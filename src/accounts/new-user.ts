import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { AuthMethod } from '../database/enumerations.ts'
import type { UserRow } from '../database/tables.ts'
import { usernameCandidates, usernameKey } from './username.ts'

export interface NewUser {
  id?: string | undefined
  email: string
  passwordHash: string | null
  authMethod: AuthMethod
  isVerified: boolean
  firstName: string
  lastName: string
  /** A preferred username, which is tried before those that are derived from the name. */
  preferredUsername?: string | undefined
  avatar?: string | undefined
}

/** A first name for an account of which only the e-mail address is known. */
export function nameFromEmail(email: string): string {
  return (email.split('@')[0] ?? '').slice(0, 50)
}

/** Creates an account with the first free username. Returns undefined when the e-mail address has an account. */
export async function insertUser(tx: Tx, now: Database['now'], user: NewUser): Promise<UserRow | undefined> {
  for (const username of usernameCandidates(user.firstName, user.lastName, user.preferredUsername)) {
    const inserted = await tx
      .insertInto('users')
      .values({
        id: user.id ?? randomUUID(),
        email: user.email,
        email_verified_at: user.isVerified ? now : null,
        password_hash: user.passwordHash,
        auth_method: user.authMethod,
        first_name: user.firstName,
        last_name: user.lastName,
        username,
        username_key: usernameKey(username),
        avatar: user.avatar ?? '',
        created_at: now,
      })
      // Either the address or the username is taken. The query below finds out which.
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (inserted) return inserted
    const existing = await tx.selectFrom('users').select('id').where('email', '=', user.email).executeTakeFirst()
    if (existing) return undefined
  }
  throw new Error('ran out of usernames')
}
