import { Time, Uuid } from '../http/fields.ts'
import { nullable, oneOf, Type } from '../http/schema.ts'
import { ATTENTION_KINDS, MAX_PENDING } from './attention.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { createReadSiteHealth } from './site-health.ts'

const Count = (example: number, description?: string) =>
  Type.Integer({ ...(description && { description }), examples: [example] })
const Text = (example: string, description?: string) =>
  Type.String({ ...(description && { description }), examples: [example] })

const Attention = Type.Object(
  {
    kind: oneOf(ATTENTION_KINDS, { title: 'AttentionKind', examples: ['mails-failed'] }),
    message: Text('3 mails have failed permanently', 'The same for people'),
    path: Text('/owner/mail', 'The page that tells more'),
  },
  { title: 'Attention' },
)

const Instance = Type.Object(
  {
    instanceId: Uuid,
    host: Text('web-1', 'The name of the machine or container'),
    version: Text('0.1.0'),
    startedAt: Time,
    seenAt: Type.String({ ...Time, description: 'The last report. There is one each minute' }),
    requests: Count(1200, 'Responses of the last hour'),
    errors: Count(0, 'Those of them with a status of 500 or more. The calendar that is not configured is none'),
    hashQueue: Count(0, 'Password hashes that wait'),
    hashCapacity: Count(64, 'Password hashes that may wait before requests get 503'),
  },
  { title: 'Instance' },
)

const Day = Type.Object(
  { day: Text('2026-11-16', 'In UTC'), signUps: Count(3), logIns: Count(41) },
  { title: 'ActivityOfADay' },
)

const Health = Type.Object(
  {
    attention: Type.Array(Attention, { description: 'What an owner should look at. Empty when all is well' }),
    version: Text('0.1.0'),
    node: Text('26.0.0'),
    engine: oneOf(['sqlite', 'postgres'], { title: 'EngineName', examples: ['sqlite'] }),
    engineVersion: Text('3.51.0'),
    databaseBytes: Count(4_300_800),
    migrations: Type.Object(
      { applied: Count(15), latest: Text('0015-health'), pending: Type.Array(Text('0016-later')) },
      { title: 'Migrations' },
    ),
    mails: Type.Object(
      { waiting: Count(0), failed: Count(3), oldestWaitingSeconds: Count(0, '0 without a waiting mail') },
      { title: 'MailHealth' },
    ),
    requests: Type.Object({ lastHour: Count(1200), errors: Count(0) }, { title: 'RequestHealth' }),
    diskFreeBytes: nullable(Count(52_000_000_000, 'On the disk of the data folder. Null if it cannot be read')),
    diskTotalBytes: nullable(Count(80_000_000_000)),
    hashQueue: Type.Object({ length: Count(0), capacity: Count(64) }, { title: 'HashQueue' }),
    instances: Type.Array(Instance, { description: 'The processes that have reported in the last three minutes' }),
    pending: Type.Object(
      { invitations: Count(2, 'Open invitations'), unverifiedPeople: Count(1) },
      { title: 'Pending', description: `Each is counted up to ${MAX_PENDING}` },
    ),
    days: Type.Array(Day, { description: 'The last 30 days, the oldest first' }),
  },
  { title: 'Health' },
)

export function readHealth(parts: OwnerParts) {
  const readSiteHealth = createReadSiteHealth(parts)
  return ownerOperation(parts, {
    id: 'readHealth',
    summary: 'Read the figures of the site, and what needs attention',
    message: 'Health retrieved successfully',
    description:
      'Figures of all processes that serve this database. Each reports once a minute. A sign-up is an account that was ' +
      'created, and a log-in a session that began.',
    data: Health,
    run: async () => ({ data: await readSiteHealth() }),
  })
}
