import { randomBytes, randomUUID } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Query, Tx } from '../database/engine.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { Cookie } from '../http/cookies.ts'
import type { Request } from '../http/request.ts'

const REMEMBERED_SECONDS = 30 * 24 * 60 * 60
const TOKEN_BYTES = 32
const MAX_LISTED = 100

/**
 * Browsers that the account holder lets sign in without the second factor for 30 days. A token in a cookie identifies
 * the browser, and the table stores only a keyed hash of it.
 */
export function createRememberedBrowsers(
  database: Database,
  hash: (text: string) => string,
  { https }: { https: boolean },
) {
  const { now } = database
  const cookie = new Cookie('portico_remembered', { seconds: REMEMBERED_SECONDS, https })
  const digest = (token: string) => hash(JSON.stringify(['remembered-browser', token]))
  const digestOfCookie = (request: Request) => digest(cookie.read(request) ?? '')

  return {
    /**
     * Remembers the browser of a request and returns its cookie. The token is always a new one: a token that somebody
     * else has planted in the browser (session fixation) must not become valid.
     */
    async remember(tx: Tx, userId: string, request: Request, { browser, os, clientIp }: ClientInfo): Promise<string> {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      await tx
        .deleteFrom('remembered_browsers')
        .where('user_id', '=', userId)
        .where('token_hash', '=', digestOfCookie(request))
        .execute()
      await tx
        .insertInto('remembered_browsers')
        .values((eb) => ({
          id: randomUUID(),
          user_id: userId,
          token_hash: digest(token),
          browser,
          os,
          client_ip: clientIp,
          created_at: now,
          last_used_at: now,
          expires_at: eb(now, '+', REMEMBERED_SECONDS * 1000),
        }))
        .execute()
      return cookie.set(token)
    },

    /** Whether the account holder has remembered the browser of a request. */
    async isRemembered(tx: Tx, userId: string, request: Request): Promise<boolean> {
      const remembered = await tx
        .updateTable('remembered_browsers')
        .set({ last_used_at: now })
        .where('token_hash', '=', digestOfCookie(request))
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .returning('id')
        .executeTakeFirst()
      return remembered !== undefined
    },

    /** The remembered browsers of an account, the last used first. */
    async list(query: Query, userId: string, request: Request) {
      const rows = await query
        .selectFrom('remembered_browsers')
        .select(['id', 'token_hash', 'browser', 'os', 'client_ip', 'created_at', 'last_used_at', 'expires_at'])
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .orderBy('last_used_at', 'desc')
        .limit(MAX_LISTED)
        .execute()
      const current = digestOfCookie(request)
      return rows.map(({ token_hash, ...row }) => ({ ...row, isCurrent: token_hash === current }))
    },
  }
}

export type RememberedBrowsers = ReturnType<typeof createRememberedBrowsers>

/** Forgets one browser of an account, or all of them. Returns their number. */
export async function forgetBrowsers(tx: Tx, userId: string, id?: string): Promise<number> {
  const forgotten = tx.deleteFrom('remembered_browsers').where('user_id', '=', userId)
  return (await (id === undefined ? forgotten : forgotten.where('id', '=', id)).returning('id').execute()).length
}
