import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { USER_COLUMNS, type UserRow } from '../../src/database/tables.ts'

export type Account = UserRow

interface Access {
  /** The account of a live session. */
  findAccount(sessionId: string): Promise<Account | undefined> | Account | undefined
  privateKeys(): Promise<Key[]> | Key[]
}

interface Key {
  kid: string
  private_jwk: string
}

const KEYS = 'select kid, private_jwk from signing_keys'

/** The statement of Portico, for one session. On PostgreSQL, Portico looks up several sessions with one statement. */
const accountOf = (id: string, now: string) =>
  `select ${USER_COLUMNS.map((column) => `users.${column}`)} from sessions join users on users.id = sessions.user_id
    where sessions.id = ${id} and revoked_at is null and expires_at > ${now}`

export function openSqlite(file: string): Access {
  const database = new DatabaseSync(file, { readOnly: true })
  const account = database.prepare(accountOf('?', `cast(round(unixepoch('subsec') * 1000) as integer)`))
  return {
    findAccount: (sessionId) => account.get(sessionId) as unknown as Account | undefined,
    privateKeys: () => database.prepare(KEYS).all() as unknown as Key[],
  }
}

export function openPostgres(url: string): Access {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const text = accountOf('$1', '(extract(epoch from statement_timestamp()) * 1000)::bigint')
  return {
    findAccount: async (sessionId) => (await pool.query({ name: 'account', text, values: [sessionId] })).rows[0],
    privateKeys: async () => (await pool.query(KEYS)).rows,
  }
}
