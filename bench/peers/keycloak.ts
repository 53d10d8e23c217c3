import { argon2Sync, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/support/local-servers.ts'
import type { Bench } from '../bench.ts'
import { PASSWORD } from '../databases/people.ts'
import { output } from '../measure/output.ts'
import { type Server, startProgram } from '../measure/server.ts'
import { ACCOUNTS } from './accounts.ts'
import { ask } from './ask.ts'
import { cacheFolder } from './cache.ts'
import type { Peer } from './peer.ts'

const VERSION = '26.7.3'
const ARTIFACT = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`
const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'
const CACHE = cacheFolder('keycloak')
const HOME = join(CACHE, `keycloak-${VERSION}`)
const BUILT = join(HOME, 'portico-bench-built')
const STEP_LIMIT_MS = 10 * 60_000
const START_LIMIT_MS = 10 * 60_000

// The Java versions that Keycloak 26.7 supports. Its documentation suggests the newest of them.
const OLDEST_JAVA = 17
const NEWEST_JAVA = 25

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'bench/1.0' }
const TOKEN_PATH = '/realms/peers/protocol/openid-connect/token'
const ADMIN = { username: 'admin', password: PASSWORD }

export const keycloak: Peer = {
  name: 'Keycloak',
  engine: 'PostgreSQL',
  settings: `the distribution from Maven Central on the newest supported Java of the machine, \`kc.sh build --db=postgres\`, then
  \`kc.sh start --optimized --http-enabled=true --cache=local\` (production mode, one node, plain HTTP as behind a proxy). The JVM
  options and the log are its defaults: no line for a request. The realm has \`revokeRefreshToken\` on with no reuse, access tokens of an hour
  (they must outlast restarts), and defaults otherwise. People log in by the password grant of a public client. The PostgreSQL is the one that Portico uses.`,
  differs: {
    'authenticated read': 'userinfo of OpenID Connect: the claims of the account, with no rate limit and no log line',
    refresh: '`revokeRefreshToken` on: the old token is refused; also issues an ID token; signed with RS256 and HS512',
    'log-in':
      'another hash, which OWASP lists as equal in strength; also issues an ID token; signed with RS256 and HS512',
    'idle memory': 'without PostgreSQL on both sides',
  },
  warmUpSeconds: 12,
  async obtain() {
    mkdirSync(CACHE, { recursive: true })
    const env = { ...process.env, JAVA_HOME: await javaHome() }
    const options = { cwd: CACHE, env, limitMs: STEP_LIMIT_MS }
    if (!existsSync(HOME)) {
      await output(
        'mvn',
        ['-B', '-q', `${PLUGIN}:copy`, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${CACHE}`],
        options,
      )
      await output('unzip', ['-q', '-o', `keycloak-quarkus-dist-${VERSION}.zip`], options)
    }
    if (!existsSync(BUILT)) {
      await output(join(HOME, 'bin/kc.sh'), ['build', '--db=postgres'], options)
      writeFileSync(BUILT, '')
    }
    return VERSION
  },
  async prepare(bench) {
    const start = await starter(bench)
    await createRealm(start)
    return {
      start,
      accounts: {
        logIn: (email) => logIn('peers', { client_id: 'app', username: email, password: PASSWORD, scope: 'openid' }),
        hash: 'argon2id, 7 MiB, 5 passes',
        async read(response) {
          const { access_token } = (await response.json()) as { access_token: string }
          const headers = { authorization: `Bearer ${access_token}` }
          return { path: '/realms/peers/protocol/openid-connect/userinfo', headers }
        },
        refresh: {
          request: {
            method: 'POST',
            path: TOKEN_PATH,
            headers: FORM,
            body: 'grant_type=refresh_token&client_id=app&refresh_token=<refreshToken>',
          },
          tokens: { refreshToken: 'refresh_token' },
        },
      },
    }
  },
}

async function starter({ folder, postgres }: Bench) {
  const database = new URL(await postgres.createDatabase(`keycloak_${randomUUID().slice(0, 8)}`))
  const env = {
    JAVA_HOME: await javaHome(),
    KC_DB_URL: `jdbc:postgresql://${database.host}${database.pathname}`,
    KC_DB_USERNAME: database.username,
    KC_DB_PASSWORD: database.password,
    KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
    KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
  }
  const place = { log: join(folder, 'keycloak.log'), onServerCore: true, busyTimeoutMs: START_LIMIT_MS }
  return async () => {
    const port = await freePort()
    const address = ['--http-enabled=true', '--http-host=127.0.0.1', `--http-port=${port}`]
    // The issuer of tokens must not change with the port: they are used after a restart.
    const command = ['start', '--optimized', '--cache=local', '--hostname=http://127.0.0.1', ...address]
    return startProgram([join(HOME, 'bin/kc.sh'), ...command], port, env, place)
  }
}

async function createRealm(start: () => Promise<Server>) {
  await using server = await start()
  const response = await ask(server.url, logIn('master', { client_id: 'admin-cli', ...ADMIN }))
  const { access_token } = (await response.json()) as { access_token: string }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${access_token}` }
  const app = { clientId: 'app', publicClient: true, directAccessGrantsEnabled: true, standardFlowEnabled: false }
  const realm = {
    realm: 'peers',
    enabled: true,
    revokeRefreshToken: true,
    refreshTokenMaxReuse: 0,
    accessTokenLifespan: 3600,
  }
  const body = JSON.stringify({ ...realm, clients: [app], users: people() })
  await ask(server.url, { method: 'POST', path: '/admin/realms', headers, body })
}

function logIn(realm: string, fields: Record<string, string>) {
  const body = String(new URLSearchParams({ grant_type: 'password', ...fields }))
  return { method: 'POST' as const, path: `/realms/${realm}/protocol/openid-connect/token`, headers: FORM, body }
}

/** With one hash for all, in the format of Keycloak's own exports and with its default cost: a thousand hashes would take long. */
function people() {
  const [memory, passes, parallelism, tagLength] = [7168, 5, 1, 32]
  const nonce = randomBytes(16)
  const tag = argon2Sync('argon2id', { message: PASSWORD, nonce, memory, passes, parallelism, tagLength })
  const cost = { hashLength: ['32'], memory: ['7168'], type: ['id'], version: ['1.3'], parallelism: ['1'] }
  const credential = {
    type: 'password',
    credentialData: JSON.stringify({ algorithm: 'argon2', hashIterations: passes, additionalParameters: cost }),
    secretData: JSON.stringify({ value: tag.toString('base64'), salt: nonce.toString('base64') }),
  }
  const person = {
    enabled: true,
    emailVerified: true,
    firstName: 'Ada',
    lastName: 'Lovelace',
    credentials: [credential],
  }
  const emails = Array.from({ length: ACCOUNTS }, (_, index) => `person-${index + 1}@example.com`)
  return emails.map((email) => ({ ...person, username: email, email }))
}

/** The newest supported Java among those that Debian's packages and JAVA_HOME give. */
async function javaHome(): Promise<string> {
  const folder = '/usr/lib/jvm'
  const installed = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
  const homes = [process.env.JAVA_HOME ?? '', ...installed].filter((home) => existsSync(join(home, 'bin/java')))
  const found = await Promise.all(homes.map(async (home) => ({ home, major: await javaVersion(home) })))
  const supported = found.filter(({ major }) => major >= OLDEST_JAVA && major <= NEWEST_JAVA)
  const [newest] = supported.toSorted((a, b) => b.major - a.major)
  if (!newest) throw new Error(`no Java ${OLDEST_JAVA} to ${NEWEST_JAVA} is installed`)
  return newest.home
}

async function javaVersion(home: string): Promise<number> {
  return Number(/(\d+)/.exec(await output(join(home, 'bin/java'), ['--version'], { limitMs: STEP_LIMIT_MS }))?.[1])
}
