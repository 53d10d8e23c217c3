import { join } from 'node:path'
import { supervise } from './child.ts'
import { RUN_LIMIT_MS } from './limits.ts'
import { makePostgresTemplate } from './new-site-database.ts'
import { createPostgres } from './postgres.ts'

let postgres: Awaited<ReturnType<typeof createPostgres>> | undefined

/** One PostgreSQL server for the whole run. Each test file creates databases of its own on it, mostly copies of one. */
export async function globalSetup(): Promise<void> {
  supervise({ limitMs: RUN_LIMIT_MS })
  // The data need not survive the run, so fsync is off.
  postgres = await createPostgres(['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'max_connections=400'])
  await postgres.start()
  // Each test file is a process of its own. They share the compile cache.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/compiled')
  process.env.TEST_POSTGRES_URL = postgres.url
  await makePostgresTemplate(postgres)
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
}
