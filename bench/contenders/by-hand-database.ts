import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { UserRow } from '../../src/database/tables.ts'

export type Account = UserRow

interface Access {
  /** The account of a living session, if it is the one that was named. */
  findAccount(sessionId: string, userId: string): Promise<Account | undefined> | Account | undefined
  privateKeys(): Promise<Key[]> | Key[]
}

interface Key {
  kid: string
  private_jwk: string
}

const KEYS = 'select kid, private_jwk from signing_keys'

/** What Portico asks the database; and the same as one question, to see what that would give. */
const statements = ({ now, first, second }: { now: string; first: string; second: string }) => ({
  session: `select user_id from sessions where id = ${first} and revoked_at is null and expires_at > ${now}`,
  account: `select * from users where id = ${first}`,
  joined: `select users.* from sessions join users on users.id = sessions.user_id
    where sessions.id = ${first} and users.id = ${second} and revoked_at is null and expires_at > ${now}`,
})

export function openSqlite(file: string) {
  const database = new DatabaseSync(file, { readOnly: true })
  const sql = statements({ now: `cast(round(unixepoch('subsec') * 1000) as integer)`, first: '?', second: '?' })
  const session = database.prepare(sql.session)
  const account = database.prepare(sql.account)
  const joined = database.prepare(sql.joined)
  return (inOne: boolean): Access => ({
    findAccount(sessionId, userId) {
      if (inOne) return joined.get(sessionId, userId) as unknown as Account | undefined
      if (session.get(sessionId)?.user_id !== userId) return undefined
      return account.get(userId) as unknown as Account | undefined
    },
    privateKeys: () => database.prepare(KEYS).all() as unknown as Key[],
  })
}

export function openPostgres(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const sql = statements({
    now: '(extract(epoch from statement_timestamp()) * 1000)::bigint',
    first: '$1',
    second: '$2',
  })
  const ask = async (name: keyof typeof sql, ...values: string[]) =>
    (await pool.query({ name, text: sql[name], values })).rows[0]
  return (inOne: boolean): Access => ({
    async findAccount(sessionId, userId) {
      if (inOne) return ask('joined', sessionId, userId)
      return (await ask('session', sessionId))?.user_id === userId ? ask('account', userId) : undefined
    },
    privateKeys: async () => (await pool.query(KEYS)).rows,
  })
}
