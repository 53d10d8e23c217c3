import { dirname } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../config/config.ts'
import { readActivity } from '../database/activity-counts.ts'
import type { Database } from '../database/database.ts'
import { listInstances } from '../database/instances.ts'
import { migrationState } from '../database/migrate.ts'
import { readVersionAndSize } from '../database/version-and-size.ts'
import { isoTime } from '../lib/dates.ts'
import { readDiskSpace } from '../lib/disk-space.ts'
import { version } from '../lib/version.ts'
import { createReadOutboxState } from '../mail/outbox-state.ts'
import { attentionTo, MAX_PENDING, type SiteFacts } from './attention.ts'
import type { OwnerParts } from './parts.ts'

/** Returns the function that reads the figures of the site. Their cost does not depend on the number of people. */
export function createReadSiteHealth({ config, database, contentStatus }: OwnerParts) {
  const readOutbox = createReadOutboxState(database)
  return async () => {
    // One after the other, so that this takes one connection of the pool at a time.
    const { version: engineVersion, bytes: databaseBytes } = await readVersionAndSize(database)
    const migrations = await migrationState(database.query)
    const mails = await readOutbox()
    const rows = await listInstances(database)
    const days = await readActivity(database)
    const pending = await countPending(database)
    const webhooks = await readWebhooks(database)
    const disk = await readDisk(config)
    const content = await contentStatus.read()
    const instances = rows.map((row) => ({
      instanceId: row.id,
      host: row.host,
      version: row.version,
      startedAt: isoTime(row.started_at),
      seenAt: isoTime(row.seen_at),
      requests: row.requests,
      errors: row.errors,
      hashQueue: row.hash_queue,
      hashCapacity: row.hash_capacity,
    }))
    const sum = (name: 'requests' | 'errors' | 'hashQueue' | 'hashCapacity') =>
      instances.reduce((total, instance) => total + instance[name], 0)
    const site: SiteFacts = {
      mails: {
        waiting: mails.waiting,
        failed: mails.failed,
        oldestWaitingSeconds: Math.floor(mails.oldestAgeSeconds),
      },
      requests: { lastHour: sum('requests'), errors: sum('errors') },
      diskFreeBytes: disk?.freeBytes ?? null,
      diskTotalBytes: disk?.totalBytes ?? null,
    }
    return {
      attention: attentionTo(site, { instances: instances.length, content, webhooks }),
      version,
      node: process.versions.node,
      engine: database.name,
      engineVersion,
      databaseBytes,
      migrations: {
        applied: migrations.applied.length,
        latest: migrations.applied.at(-1) ?? '',
        pending: migrations.pending,
      },
      ...site,
      hashQueue: { length: sum('hashQueue'), capacity: sum('hashCapacity') },
      instances,
      pending,
      days,
    }
  }
}

/** With PostgreSQL, the space of the data folder: that of the database server cannot be seen from here. */
function readDisk({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>) {
  return readDiskSpace(database.engine === 'sqlite' ? dirname(database.file) : dataDir).catch(() => undefined)
}

/** The numbers of items that wait for an action, each counted up to MAX_PENDING. */
async function countPending({ query, now }: Database) {
  const { rows } = await sql<{ invitations: number; unverifiedPeople: number }>`select
      (select count(*) from (select 1 from invitations where used_at is null and revoked_at is null
        and expires_at > ${now} limit ${MAX_PENDING}) as open) as invitations,
      (select count(*) from (select 1 from users where email_verified_at is null limit ${MAX_PENDING}) as open)
        as "unverifiedPeople"`.execute(query)
  return rows[0] ?? { invitations: 0, unverifiedPeople: 0 }
}

async function readWebhooks({ query }: Database) {
  const rows = await query.selectFrom('webhooks').select(['disabled_at', 'failing_since']).execute()
  const failing = rows.filter(({ failing_since }) => failing_since !== null)
  const off = failing.filter(({ disabled_at }) => disabled_at !== null).length
  return { off, failing: failing.length - off }
}
