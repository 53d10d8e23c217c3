import type { Database } from '../database/database.ts'
import type { UserRow } from '../database/tables.ts'
import type { Caller, Request } from '../http/request.ts'
import type { OAuthParts } from '../oauth/parts.ts'
import type { Reader } from './layout.ts'

/** A signed-in user who requests a page. */
export interface Visitor {
  caller: Caller
  user: UserRow
  /** The values of the response's `Set-Cookie` headers. */
  cookies: string[]
}

export type FindVisitor = (request: Request) => Promise<Visitor | undefined>

export function createFindVisitor({ browserSession }: Pick<OAuthParts, 'browserSession'>): FindVisitor {
  return async (request) => {
    const session = await browserSession.find(request)
    return session && { ...session, user: session.caller.user }
  }
}

export function readerOf({ user }: Visitor): Reader {
  const { first_name, avatar, theme, font, role } = user
  return { name: first_name, avatar, theme, font, isOwner: role === 'owner' }
}

/** For public pages: while the database is unavailable, the visitor counts as signed out. */
export function orSignedOut(find: FindVisitor, { isUnavailable }: Database): FindVisitor {
  return (request) =>
    find(request).catch((error) => {
      if (isUnavailable(error)) return undefined
      throw error
    })
}
