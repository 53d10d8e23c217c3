// GET /api/user-details written by hand, without a framework, a query builder or a schema: it checks the token, reads
// the session and the account with one statement, and responds with the same JSON. It leaves out other routes,
// validation, rate limits, security headers, and the last activity of the session.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { createLocalJWKSet, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { type Account, openPostgres, openSqlite } from './by-hand-database.ts'

const { PORT, BASE_URL = '', DATABASE_URL, DATA_DIR } = process.env
const { findAccount, privateKeys } = DATABASE_URL ? openPostgres(DATABASE_URL) : openSqlite(`${DATA_DIR}/portico.db`)
const keys = createLocalJWKSet({ keys: (await privateKeys()).map(publicHalf) })
const verified = new Map<string, JWTPayload>()

createServer(async (request, response) => {
  const account = await callerOf(request)
  const body = JSON.stringify(account ? success(account) : { success: false })
  response.writeHead(account ? 200 : 401, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}).listen(Number(PORT), '127.0.0.1')

async function callerOf({ headers }: IncomingMessage): Promise<Account | undefined> {
  const token = headers.authorization?.slice('Bearer '.length) ?? ''
  const { sid, sub, exp = 0 } = verified.get(token) ?? (await verify(token))
  if (exp * 1000 < Date.now() || sid !== headers['x-session-id']) return undefined
  const account = await findAccount(sid as string)
  return account?.id === sub ? account : undefined
}

/** Like Portico, it verifies a signature once: otherwise this would measure Ed25519. */
async function verify(token: string): Promise<JWTPayload> {
  const checks = { algorithms: ['EdDSA'], issuer: BASE_URL, audience: BASE_URL, typ: 'at+jwt' }
  const { payload } = await jwtVerify(token, keys, checks)
  verified.set(token, payload)
  return payload
}

function publicHalf({ kid, private_jwk }: { kid: string; private_jwk: string }): JWK {
  const { d: _secret, ...half } = JSON.parse(private_jwk)
  return { ...half, kid, alg: 'EdDSA' }
}

function success(account: Account) {
  return {
    success: true,
    message: 'User details retrieved successfully',
    data: {
      user: {
        _id: account.id,
        firstName: account.first_name,
        lastName: account.last_name,
        username: account.username,
        email: account.email,
        avatar: account.avatar,
        bio: account.bio,
        location: {
          address: account.address,
          city: account.city,
          state: account.state,
          country: account.country,
          zipCode: account.zip_code,
        },
        socialAccounts: JSON.parse(account.social_accounts),
        preferences: { theme: account.theme, font: account.font },
        dob: account.dob,
        hasChangedUsername: account.has_changed_username === 1,
        authMethod: account.auth_method,
        hasPassword: account.password_hash !== null,
      },
    },
    timestamp: new Date().toISOString(),
    requestId: randomUUID(),
  }
}
