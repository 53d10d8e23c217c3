import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import { USER_COLUMNS } from '../database/tables.ts'

/** The queries that find accounts. Each operation writes its changes in a transaction of its own. */
export function createAccountStore(database: Database) {
  const byEmail = database.prepare((query, email: Arg<string>) =>
    query.selectFrom('users').select(USER_COLUMNS).where('email', '=', email),
  )
  const byId = database.prepare((query, id: Arg<string>) =>
    query.selectFrom('users').select(USER_COLUMNS).where('id', '=', id),
  )
  const usernameHolder = database.prepare((query, key: Arg<string>) =>
    query.selectFrom('users').select(['id', 'username']).where('username_key', '=', key),
  )
  return {
    findByEmail: async (email: string) => (await byEmail(email))[0],
    findById: async (id: string) => (await byId(id))[0],
    findUsernameHolder: async (key: string) => (await usernameHolder(key))[0],
  }
}

export type AccountStore = ReturnType<typeof createAccountStore>
