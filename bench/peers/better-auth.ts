import { join } from 'node:path'
import { betterAuthWith } from '../contenders/start-better-auth.ts'
import { signIn } from '../databases/people.ts'
import { installContenders } from '../install.ts'
import { ACCOUNTS } from './accounts.ts'
import type { Peer } from './peer.ts'

export const betterAuth: Peer = {
  name: 'better-auth',
  engine: 'SQLite',
  settings: `from npm, in a bare node:http server in production mode on node:sqlite with synchronous=full. Cookie cache off, so that a
  revoked session ends at once, as at Portico. Rate limits off, no log line for a request, telemetry off. The password hash is
  Portico's instead of its own (scrypt).`,
  differs: {
    'authenticated read': 'get-session: the session and its user, with no rate limit and no log line',
    refresh: 'has no refresh token: a session cookie is extended when it is used',
    'log-in': 'the same hash by the same code',
  },
  obtain: async () => installContenders(),
  async prepare(bench) {
    const place = { log: join(bench.folder, 'better-auth.log'), onServerCore: true }
    return {
      start: betterAuthWith(bench, ACCOUNTS, place),
      accounts: {
        logIn: signIn,
        hash: 'argon2id, 19 MiB, 2 passes',
        async read({ headers }) {
          const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
          return { path: '/api/auth/get-session', headers: { cookie: cookies.join('; ') } }
        },
      },
    }
  },
}
