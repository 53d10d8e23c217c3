import type { Database } from '../database/database.ts'
import type { UserRow } from '../database/tables.ts'
import type { Caller, Request } from '../http/request.ts'
import type { OAuthParts } from '../oauth/parts.ts'
import type { Reader } from './layout.ts'

/** Somebody who looks at a page while signed in. */
export interface Visitor {
  caller: Caller
  user: UserRow
  /** What the answer must tell the browser to keep. */
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
  return { name: user.first_name, theme: user.theme, font: user.font }
}

/** For pages that anyone may read: when the database cannot say who it is, they are read all the same. */
export function orNobody(find: FindVisitor, { isUnavailable }: Database): FindVisitor {
  return (request) =>
    find(request).catch((error) => {
      if (isUnavailable(error)) return undefined
      throw error
    })
}
