import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '../../test/support/local-servers.ts'
import { PASSWORD } from '../databases/people.ts'
import { output } from '../measure/output.ts'
import { type Server, startProgram } from '../measure/server.ts'
import { ACCOUNTS } from './accounts.ts'
import { ask } from './ask.ts'
import { cacheFolder } from './cache.ts'
import type { Peer } from './peer.ts'

const SOURCE = join(import.meta.dirname, 'pocketbase')
const VERSION = /pocketbase v(\S+)/.exec(readFileSync(join(SOURCE, 'go.mod'), 'utf8'))?.[1] ?? ''
const CACHE = cacheFolder(`pocketbase-${VERSION}`)
export const PROGRAM = join(CACHE, 'pocketbase')
const BUILD_LIMIT_MS = 15 * 60_000
const COMMAND_LIMIT_MS = 60_000

const JSON_BODY = { 'content-type': 'application/json', 'user-agent': 'bench/1.0' }
const SUPERUSER = 'root@example.com'
const LOG_IN = '/api/collections/users/auth-with-password'

export const pocketBase: Peer = {
  name: 'PocketBase',
  engine: 'SQLite',
  settings: `its Go module with \`pocketbase.New().Start()\`, built by \`go build\`, started by \`serve --dev=false\`. Its log is off
  (\`logs.maxDays\` = 0), and its rate limiter is off, which is its default. Its SQLite has WAL and synchronous=normal, which is
  its default. go.mod pins its version and that of Go.`,
  differs: {
    'authenticated read': 'its own record of the users collection; no session is looked up, no rate limit, no log line',
    refresh: 'stores nothing: the new token is a signature, and the old token stays valid',
    'log-in': 'another hash (4 KiB of memory); no session is stored, no rate limit, no log line',
  },
  async obtain() {
    mkdirSync(CACHE, { recursive: true })
    // An older Go downloads the toolchain that go.mod requires (https://go.dev/doc/toolchain).
    const env = { ...process.env, GOTOOLCHAIN: 'auto' }
    const options = { cwd: SOURCE, limitMs: BUILD_LIMIT_MS, env }
    if (!existsSync(PROGRAM)) await output('go', ['build', '-buildvcs=false', '-o', PROGRAM, '.'], options)
    return VERSION
  },
  async prepare(bench) {
    const data = mkdtempSync(join(bench.folder, 'pocketbase-'))
    const start = async () => {
      const port = await freePort()
      const command = [PROGRAM, 'serve', `--http=127.0.0.1:${port}`, `--dir=${data}`, '--dev=false']
      return startProgram(command, port, {}, { log: join(bench.folder, 'pocketbase.log'), onServerCore: true })
    }
    const superuser = ['superuser', 'upsert', SUPERUSER, PASSWORD, `--dir=${data}`, '--dev=false']
    await output(PROGRAM, superuser, { limitMs: COMMAND_LIMIT_MS })
    await configure(start)
    copyAccounts(join(data, 'data.db'))
    return {
      start,
      accounts: {
        logIn: (email) => logIn(LOG_IN, email),
        hash: 'bcrypt, cost 10',
        async read(response) {
          const { token, record } = (await response.json()) as { token: string; record: { id: string } }
          return { path: `/api/collections/users/records/${record.id}`, headers: { authorization: token } }
        },
        refresh: {
          request: {
            method: 'POST',
            path: '/api/collections/users/auth-refresh',
            headers: { ...JSON_BODY, authorization: '<token>' },
          },
          tokens: { token: 'token' },
        },
      },
    }
  },
}

function logIn(path: string, identity: string) {
  const body = JSON.stringify({ identity, password: PASSWORD })
  return { method: 'POST' as const, path, headers: JSON_BODY, body }
}

/** Turns the log off and registers the first user, through the API. */
async function configure(start: () => Promise<Server>) {
  await using server = await start()
  const response = await ask(server.url, logIn('/api/collections/_superusers/auth-with-password', SUPERUSER))
  const { token } = (await response.json()) as { token: string }
  const headers = { ...JSON_BODY, authorization: token }
  const settings = JSON.stringify({ logs: { maxDays: 0 } })
  await ask(server.url, { method: 'PATCH', path: '/api/settings', headers, body: settings })
  const person = { email: 'person-1@example.com', password: PASSWORD, passwordConfirm: PASSWORD, name: 'Ada Lovelace' }
  const body = JSON.stringify({ ...person, verified: true })
  await ask(server.url, { method: 'POST', path: '/api/collections/users/records', headers, body })
}

/** The other users are copies of the first with the same hash: a thousand hashes would take a minute. */
function copyAccounts(file: string) {
  const database = new DatabaseSync(file)
  const columns = database
    .prepare('select name from pragma_table_info(?)')
    .all('users')
    .map(({ name }) => String(name))
  const own: Record<string, string> = {
    id: "printf('person%09d', n)",
    email: "'person-' || n || '@example.com'",
    tokenKey: 'lower(hex(randomblob(25)))',
  }
  database.exec(
    `insert into users (${columns.map((column) => `"${column}"`)})
      with recursive numbers(n) as (select 2 union all select n + 1 from numbers where n < ${ACCOUNTS})
      select ${columns.map((column) => own[column] ?? `"${column}"`)} from users cross join numbers`,
  )
  database.close()
}
