import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Query, Tx } from '../database/engine.ts'
import { DAY_MS } from '../lib/dates.ts'
import { isLinkToken, newLinkToken } from './link-token.ts'

/**
 * Invitations to create an account with one e-mail address. The address gets a link with a token of 128 bits, of which
 * the table stores a keyed hash. An invitation is open until it is used, revoked or expired.
 */
export function createInvitations(database: Database, hash: (text: string) => string) {
  const { now } = database
  const digestOf = (token: string) => hash(JSON.stringify(['invitation', token]))

  return {
    /** Invites an address. An earlier invitation of the address is replaced, and its link stops working. */
    async issue(tx: Tx, email: string, days: number, createdBy: string | undefined) {
      const token = newLinkToken()
      const row = await tx
        .insertInto('invitations')
        .values((eb) => ({
          id: randomUUID(),
          email,
          token_hash: digestOf(token),
          created_at: now,
          expires_at: eb(now, '+', days * DAY_MS),
          created_by: createdBy ?? null,
        }))
        .onConflict((conflict) =>
          conflict.column('email').doUpdateSet((eb) => ({
            id: eb.ref('excluded.id'),
            token_hash: eb.ref('excluded.token_hash'),
            created_at: eb.ref('excluded.created_at'),
            expires_at: eb.ref('excluded.expires_at'),
            created_by: eb.ref('excluded.created_by'),
            user_id: null,
            used_at: null,
            revoked_at: null,
          })),
        )
        .returningAll()
        .executeTakeFirstOrThrow()
      return { row, token }
    },

    /** The address that an open invitation with this token is for. Does not use up the invitation. */
    async find(query: Query | Tx, token: string): Promise<string | undefined> {
      if (!isLinkToken(token)) return undefined
      const row = await query
        .selectFrom('invitations')
        .select('email')
        .where('token_hash', '=', digestOf(token))
        .where('used_at', 'is', null)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row?.email
    },

    /** Uses up the open invitation of an address. Returns whether there was one. */
    async use(tx: Tx, user: { id: string; email: string }): Promise<boolean> {
      const used = await tx
        .updateTable('invitations')
        .set({ used_at: now, user_id: user.id })
        .where('email', '=', user.email)
        .where('used_at', 'is', null)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
        .returning('id')
        .executeTakeFirst()
      return used !== undefined
    },
  }
}

export type Invitations = ReturnType<typeof createInvitations>
