import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { UsersTable } from '../../src/database/tables.ts'
import type { Service } from './service.ts'

const DAY_MS = 24 * 60 * 60_000

/** The person whose page is shown. */
export const SHOWN_PERSON_ID = '6f1d5a3e-0b7c-4c52-9a41-2d8e7f60b913'

const SUSPENDED_ID = '0c9a7b7e-58d6-4f0e-8f3f-3a1f5b2c4d60'

type Stored = Partial<Insertable<UsersTable>> & Pick<Insertable<UsersTable>, 'first_name' | 'last_name'>

const PEOPLE: Stored[] = [
  { id: SHOWN_PERSON_ID, first_name: 'Ada', last_name: 'Lovelace' },
  { first_name: 'Alan', last_name: 'Turing', email_verified_at: null },
  { first_name: 'محمد بن موسى', last_name: 'الخوارزمي', username: 'al-khwarizmi' },
  { first_name: 'Edsger Wybe', last_name: 'Dijkstra', auth_method: 'codehost', role: 'owner' },
  {
    first_name: 'Augusta Ada Katherine Johanna Wilhelmina Elisabeth',
    last_name: 'of-the-very-long-name-that-has-no-space-in-it-anywhere',
    email: 'a-very-long-address-that-fits-into-no-column@subdomain.of.another.example.com',
    username: 'a-username-of-thirty-letters-x',
  },
  {
    id: SUSPENDED_ID,
    first_name: 'Charles',
    last_name: 'Babbage',
    suspended_until: 90 * DAY_MS,
    suspension_reason: 'Unsolicited advertising',
  },
]

/** Stores people for the pages of the owner's desk, one of them with sessions, events and mails, and an audit log. */
export async function storeShownPeople({ portico: { database, clock } }: Service, ownerId: string): Promise<void> {
  const nowMs = clock.now()
  const { query } = database
  for (const [index, { suspended_until, ...person }] of PEOPLE.entries()) {
    const username = person.username ?? person.first_name.toLowerCase().replaceAll(' ', '.')
    const createdMs = nowMs - (index + 1) * 9 * DAY_MS
    await query
      .insertInto('users')
      .values({
        id: randomUUID(),
        email: `${username}@example.com`,
        email_verified_at: createdMs,
        auth_method: 'email',
        username,
        username_key: username,
        created_at: createdMs,
        suspended_until: suspended_until ? nowMs + suspended_until : null,
        ...person,
      })
      .execute()
  }
  await storeHistory(query, nowMs)
  await storeActivity(query, nowMs)
  // The clock is moved by three hours after this, and the process itself reports within a minute.
  const seenMs = nowMs + 3 * 60 * 60_000
  await query
    .insertInto('instances')
    .values({
      id: randomUUID(),
      version: '0.1.0',
      host: 'web-1.example.com',
      started_at: nowMs - 12 * DAY_MS,
      seen_at: seenMs,
      requests: 5120,
      errors: 0,
      hash_queue: 0,
      hash_capacity: 64,
    })
    .execute()
  const action = { owner_id: ownerId, details: '{}', browser: 'Firefox 145.0', os: 'Linux', client_ip: '203.0.113.9' }
  const suspension = { suspendedUntil: { from: null, to: nowMs + 90 * DAY_MS }, reason: 'Unsolicited advertising' }
  await query
    .insertInto('owner_actions')
    .values([
      { ...action, id: randomUUID(), action: 'person.deleted', user_id: randomUUID(), created_at: nowMs - DAY_MS },
      {
        ...action,
        id: randomUUID(),
        action: 'person.suspended',
        user_id: SUSPENDED_ID,
        details: JSON.stringify(suspension),
        created_at: nowMs - 2 * DAY_MS,
      },
    ])
    .execute()
}

const PERIOD_MS = 15 * 60_000

/** Counts of sign-ups and log-ins that look like those of a small site: more on some days, fewer at weekends. */
async function storeActivity(query: Service['portico']['database']['query'], nowMs: number): Promise<void> {
  const days = Array.from({ length: 29 }, (_, index) => index + 1)
  await query
    .insertInto('activity_counts')
    .values(
      days.map((daysAgo) => ({
        period: Math.floor((nowMs - daysAgo * DAY_MS) / PERIOD_MS),
        sign_ups: (daysAgo * 7) % 5,
        log_ins: daysAgo % 7 < 2 ? 6 : 18 + ((daysAgo * 11) % 17),
      })),
    )
    .execute()
}

async function storeHistory(query: Service['portico']['database']['query'], nowMs: number): Promise<void> {
  const program = { browser: 'Firefox 145.0', os: 'Linux', device: 'Desktop', ip_address: '203.0.113.7' }
  const session = {
    user_id: SHOWN_PERSON_ID,
    client_ip: '203.0.113.7',
    expires_at: nowMs + 30 * DAY_MS,
    rotated_at: nowMs,
  }
  await query
    .insertInto('sessions')
    .values([
      {
        ...program,
        ...session,
        id: randomUUID(),
        auth_method: 'email',
        created_at: nowMs - 2 * DAY_MS,
        last_active_at: nowMs - 60_000,
        refresh_id: randomUUID(),
      },
    ])
    .execute()
  const types = ['session.started', 'password.changed', 'passkey.added', 'log-in.failed', 'email.verified'] as const
  await query
    .insertInto('security_events')
    .values(
      [...types, ...types].map((type, index) => ({
        ...program,
        id: randomUUID(),
        user_id: SHOWN_PERSON_ID,
        type,
        created_at: nowMs - index * 7 * 60 * 60_000,
        sequence: index,
      })),
    )
    .execute()
  const mail = { recipient: 'ada@example.com', text_body: '', html_body: '', due_at: nowMs + DAY_MS }
  await query
    .insertInto('outbox')
    .values([
      { ...mail, id: randomUUID(), subject: 'A new sign-in to your account', created_at: nowMs, attempts: 1 },
      {
        ...mail,
        id: randomUUID(),
        subject: 'Your password was changed',
        created_at: nowMs - DAY_MS,
        attempts: 3,
        failed_at: nowMs,
        last_error: '550 5.1.1 The mailbox does not exist',
      },
    ])
    .execute()
}
