// better-auth with the settings that make it comparable, each with its reason. JavaScript, because its packages are
// installed for the bench alone and the types would be missing everywhere else.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { hashPassword, verifyPassword } from '../../src/accounts/password-hash.ts'

const { PORT, DATA_DIR, ACCOUNTS, PASSWORD, SECRET } = process.env
const database = new DatabaseSync(`${DATA_DIR}/better-auth.db`)
// As durable and as concurrent as Portico's.
database.exec(
  'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 5000',
)

const options = {
  database,
  baseURL: `http://127.0.0.1:${PORT}`,
  secret: SECRET,
  // The same functions as in Portico, so that a sign-in costs the same hash.
  emailAndPassword: {
    enabled: true,
    password: { hash: hashPassword, verify: ({ hash, password }) => verifyPassword(password, hash) },
  },
  // With the cookie cache, a revoked session would stay valid. Portico reads the session from the database each time,
  // and so must this.
  session: { cookieCache: { enabled: false } },
  // Off on both sides: rate limits would refuse the load.
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { level: 'warn' },
}

await (await getMigrations(options)).runMigrations()
if (!database.prepare('select id from user limit 1').get()) await seed()
createServer(toNodeHandler(betterAuth(options))).listen(Number(PORT), '127.0.0.1')

/** The same users with as many sessions as Portico's, written as its own sign-up writes them. */
async function seed() {
  const password = await hashPassword(PASSWORD)
  const now = new Date().toISOString()
  const later = new Date(Date.now() + 30 * 86_400_000).toISOString()
  const user = database.prepare(
    'insert into user (id, name, email, emailVerified, createdAt, updatedAt) values (?, ?, ?, 1, ?, ?)',
  )
  const account = database.prepare(
    `insert into account (id, accountId, providerId, userId, password, createdAt, updatedAt) values (?, ?, 'credential', ?, ?, ?, ?)`,
  )
  const session = database.prepare(
    'insert into session (id, expiresAt, token, createdAt, updatedAt, ipAddress, userAgent, userId) values (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  database.exec('begin')
  for (let number = 1; number <= Number(ACCOUNTS); number++) {
    const id = randomUUID()
    user.run(id, 'Ada Lovelace', `person-${number}@example.com`, now, now)
    account.run(randomUUID(), id, id, password, now, now)
    for (let device = 0; device < 3; device++) {
      session.run(randomUUID(), later, randomUUID(), now, now, '203.0.113.7', 'Firefox 140', id)
    }
  }
  database.exec('commit')
}
