import { statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { supervise } from './child.ts'
import { createPostgres, makePostgresTemplate } from './databases.ts'

/** `npm run test:long` sets this limit of the whole run. */
const RUN_LIMIT_MS = Number(process.env.TEST_RUN_LIMIT_MINUTES || 30) * 60_000
const SHARED_MEMORY = '/dev/shm'
const MIN_FREE_MIB = 4096
const MAX_WAL_MIB = 256

let postgres: Awaited<ReturnType<typeof createPostgres>> | undefined

/** One PostgreSQL server for the whole run. Each test file creates databases of its own on it, mostly copies of one. */
export async function globalSetup(): Promise<void> {
  supervise({ limitMs: RUN_LIMIT_MS })
  // The data need not survive the run, so fsync is off.
  const settings = ['fsync=off', 'max_connections=400', `max_wal_size=${MAX_WAL_MIB}MB`]
  const flags = settings.flatMap((setting) => ['-c', setting])
  postgres = await createPostgres(flags, await folderOfDatabases())
  await postgres.start()
  // Each test file is a process of its own. They share the compile cache.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/compiled')
  process.env.TEST_POSTGRES_URL = postgres.url
  await makePostgresTemplate(postgres)
}

/**
 * Each test file creates databases of hundreds of files and drops them. ext4 skips inodes that were freed in the last
 * seconds one by one, so that a database takes 160 ms of CPU time, and 18 ms in memory (tmpfs(5)).
 */
async function folderOfDatabases(): Promise<string> {
  const { bavail, bsize } = await statfs(SHARED_MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  const freeMib = Math.min(bavail * bsize, freemem()) / 1024 / 1024
  return freeMib > MIN_FREE_MIB ? SHARED_MEMORY : tmpdir()
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
}
