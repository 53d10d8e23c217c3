import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, it } from 'node:test'
import { countActivity, readActivity } from '../../src/database/activity-counts.ts'
import { deleteStaleInstances } from '../../src/database/instances.ts'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import { someone } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  del,
  fieldCodesOf,
  get,
  logIn,
  mailsTo,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { signUpOwner } from '../support/owners.ts'
import { onBothEngines } from '../support/service.ts'

const SECRET = 'the code 918273'

interface Listed {
  mailId: string
  recipient: string
  state: string
  lastError: string | null
}

describe('mails, content and health at the owner’s desk', () => {
  onBothEngines((service) => {
    const { promise: ready, resolve } = Promise.withResolvers<Person>()
    beforeEach(async () => {
      const { query } = service.portico.database
      await query.deleteFrom('outbox').execute()
      if ((await query.selectFrom('users').select('id').where('role', '=', 'owner').execute()).length === 0)
        resolve(await signUpOwner(service))
    })

    async function insertMail(row: { isFailed?: boolean; age?: number; dueInMs?: number; lastError?: string } = {}) {
      const { query, now } = service.portico.database
      const id = randomUUID()
      const { isFailed = false, age = 0, dueInMs = 0, lastError = null } = row
      await query
        .insertInto('outbox')
        .values((eb) => ({
          id,
          recipient: 'ada@example.com',
          subject: 'Hello',
          text_body: SECRET,
          html_body: SECRET,
          created_at: eb(now, '-', age),
          due_at: eb(now, '+', dueInMs),
          failed_at: isFailed ? eb(now, '-', age) : null,
          last_error: lastError,
          attempts: 3,
        }))
        .execute()
      return id
    }

    async function actionsOf(action: string) {
      const { query } = service.portico.database
      const rows = await query.selectFrom('owner_actions').select('details').where('action', '=', action).execute()
      return rows.map(({ details }) => JSON.parse(details))
    }

    const list = async (query: string) => {
      const response = await get(service, `/api/owner/mails?${query}`, { as: await ready })
      assertSucceeded(response)
      assert.ok(!JSON.stringify(response.body).includes(SECRET))
      return response.body.data as { mails: Listed[]; failed: number; waiting: number; next: string | null }
    }

    it('list failed and waiting mails in pages, without their texts', async () => {
      const failed = [
        await insertMail({ isFailed: true, age: 2000, lastError: '550 no' }),
        await insertMail({ isFailed: true, age: 1000 }),
      ]
      const waiting = await insertMail({ dueInMs: 60 * 60_000 })
      const first = await list('limit=1')
      assert.deepEqual([first.failed, first.waiting, first.mails[0]?.mailId], [2, 1, failed[1]])
      const second = await list(`limit=1&after=${first.next}`)
      assert.deepEqual(
        [second.mails.map(({ mailId, state, lastError }) => [mailId, state, lastError]), second.next],
        [[[failed[0], 'failed', '550 no']], null],
      )
      assert.deepEqual(
        (await list('state=waiting')).mails.map(({ mailId }) => mailId),
        [waiting],
      )
      for (const query of ['state=all', 'limit=0', 'after=x', `after=1.${'x'.repeat(101)}`])
        assertRefused(await get(service, `/api/owner/mails?${query}`, { as: await ready }), 400)
    })

    it('retry and drop mails, with an action in the audit log that names no recipient', async () => {
      const as = await ready
      const [one, other] = [await insertMail({ isFailed: true }), await insertMail({ isFailed: true })]
      const retried = await post(service, '/api/owner/mails/retry', { mailIds: [one, 'nonsense'] }, { as })
      assert.deepEqual(retried.body.data, { done: [one], left: [{ id: 'nonsense', reason: 'unknown' }] })
      const dropped = await del(service, '/api/owner/mails', { mailIds: [other] }, { as })
      assert.deepEqual(dropped.body.data, { done: [other], left: [] })
      assert.deepEqual((await actionsOf('mail.retried')).at(-1), { mailIds: [one] })
      assert.deepEqual((await actionsOf('mail.dropped')).at(-1), { mailIds: [other] })
      const nothing = await post(service, '/api/owner/mails/retry', { mailIds: ['nonsense'] }, { as })
      assertSucceeded(nothing)
      assert.deepEqual((await actionsOf('mail.retried')).length, 1)
      for (const mailIds of [[], [1], Array.from({ length: 101 }, () => 'x'), 'x'])
        assertRefused(await post(service, '/api/owner/mails/retry', { mailIds }, { as }), 400)
    })

    it('send test mails only to the owner who asks', async () => {
      const as = await ready
      const test = (body = {}) => post(service, '/api/owner/mails/test', body, { as })
      const { email } = await someone(service)
      assert.equal(fieldCodesOf(await test({ email })).email, 'not_allowed')
      const responses = await Promise.all(Array.from({ length: 5 }, () => test()))
      for (const { body } of responses) assert.equal(body.data.recipient, as.email)
      assert.equal((await actionsOf('mail.tested')).length, 5)
      assert.equal(
        (await mailsTo(service, as.email)).filter(({ subject }) => subject.startsWith('A test mail')).length,
        5,
      )
      assert.equal((await mailsTo(service, email)).filter(({ subject }) => subject.startsWith('A test mail')).length, 0)
    })

    it('count each sign-up and log-in once, also when several instances count', async () => {
      const { database } = service.portico
      const { query, now } = database
      const total = async () => {
        const days = await readActivity(database)
        assert.equal(days.length, 30)
        const sum = (name: 'signUps' | 'logIns') => days.reduce((sum, day) => sum + day[name], 0)
        return [sum('signUps'), sum('logIns')] as const
      }
      // A clock that was ahead has counted a period that has not begun.
      const future = { period: Math.floor(Date.now() / (15 * 60_000)) + 8, sign_ups: 0, log_ins: 0 }
      await query.insertInto('activity_counts').values(future).execute()
      const [signUps, logIns] = await total()
      await logIn(service, await signUp(service))
      const known = await total()
      // The verification of the address begins a session too.
      assert.deepEqual(known, [signUps + 1, logIns + 2])
      await query
        .updateTable('security_events')
        .set((eb) => ({ created_at: eb(now, '-', 26 * 60 * 60_000) }))
        .execute()
      await Promise.all([countActivity(database), countActivity(database), countActivity(database)])
      assert.deepEqual(await total(), known)
      const futureCounts = query.selectFrom('activity_counts').select('period').where('period', '>=', future.period)
      await deleteExpiredRows(database)
      assert.deepEqual(await futureCounts.execute(), [])
      // The counts stay after the accounts are deleted.
      await query.deleteFrom('security_events').execute()
      assert.deepEqual(await total(), known)
    })

    it('know the process that serves, and forget it when it no longer reports', async () => {
      const read = async () => {
        const response = await get(service, '/api/owner/health', { as: await ready })
        assertSucceeded(response)
        return response.body.data
      }
      const { database } = service.portico
      const health = await read()
      assert.equal(health.instances.length, 1)
      assert.deepEqual(
        [health.engine, health.version, health.days.length],
        [database.name, health.instances[0].version, 30],
      )
      assert.ok(health.databaseBytes > 10_000 && health.diskFreeBytes > 0 && health.hashQueue.capacity > 0)
      assert.deepEqual(health.migrations.pending, [])
      await database.query
        .updateTable('instances')
        .set((eb) => ({ seen_at: eb('seen_at', '-', 4 * 60_000) }))
        .execute()
      assert.deepEqual((await read()).instances, [])
      await deleteStaleInstances(database)
      assert.deepEqual(await database.query.selectFrom('instances').select('id').execute(), [])
    })

    it('say what needs attention', async () => {
      await insertMail({ isFailed: true })
      await insertMail({ age: 16 * 60_000, dueInMs: 60 * 60_000 })
      const kinds = async () => {
        const { body } = await get(service, '/api/owner/health', { as: await ready })
        return body.data.attention.map(({ kind }: { kind: string }) => kind)
      }
      assert.deepEqual(
        (await kinds()).filter((kind: string) => kind.startsWith('mails-')),
        ['mails-failed', 'mails-late'],
      )
      await service.portico.database.query.deleteFrom('outbox').execute()
      assert.deepEqual(
        (await kinds()).filter((kind: string) => kind.startsWith('mails-')),
        [],
      )
    })
  })
})
