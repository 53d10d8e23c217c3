import assert from 'node:assert/strict'
import { afterEach, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { inTrace, parseTrace } from '../../src/lib/trace-context.ts'
import { newResetCode, register, reset, someone, tablesNaming, verify } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, call, del, logIn, type Person, post } from '../support/api.ts'
import { suiteCleanUp } from '../support/clean-up.ts'
import { changeEmail } from '../support/email-changes.ts'
import { IN_A_YEAR, signUpOwner } from '../support/owners.ts'
import { onBothEngines } from '../support/service.ts'
import {
  createWebhook,
  deliverDue,
  deliveriesOf,
  onlyDeliveryOf,
  PRIVATE_WEBHOOKS,
  webhookAtReceiver,
} from '../support/webhooks.ts'

const ALL = [
  'account.created',
  'account.verified',
  'account.email-changed',
  'account.suspended',
  'account.suspension-lifted',
  'account.deleted',
  'session.started',
]

describe('webhooks', () => {
  onBothEngines(
    (service) => {
      const suite = suiteCleanUp()

      afterEach(() => service.portico.database.query.deleteFrom('webhooks').execute())

      let owner: Person
      before(async () => {
        owner = await signUpOwner(service)
      })

      const begin = (events = ['session.started']) => webhookAtReceiver(service, suite, owner, events)

      it('send every event once, signed over the exact bytes, and not to a webhook without the event', async () => {
        const { receiver, secret } = await begin(ALL)
        const other = await begin(['account.suspended'])
        const { email, code, userId, password } = await register(service)
        assertSucceeded(await verify(service, email, code))
        const person = await logIn(service, { email, password })
        const { newEmail } = await changeEmail(service, person)
        const suspension = { userId, until: IN_A_YEAR, reason: 'Advertising' }
        assertSucceeded(await post(service, '/api/owner/person/suspend', suspension, { as: owner }))
        assertSucceeded(await post(service, '/api/owner/person/lift-suspension', { userId }, { as: owner }))
        await deliverDue(service)
        assertSucceeded(await del(service, '/api/owner/person', { userId, email: newEmail }, { as: owner }))
        await deliverDue(service)

        const events = receiver.eventsOf(userId)
        const dataOf = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data)
        assert.deepEqual(dataOf('account.created'), [{ userId, email }])
        assert.deepEqual(dataOf('account.verified'), [{ userId, email }])
        assert.equal(dataOf('session.started').length, 2)
        const [started] = dataOf('session.started').filter(({ sessionId }) => sessionId === person.sessionId)
        assert.deepEqual(started, { userId, email, sessionId: person.sessionId, method: 'email' })
        assert.deepEqual(dataOf('account.email-changed'), [{ userId, email: newEmail, previousEmail: email }])
        assert.deepEqual(dataOf('account.suspended'), [
          { userId, email: newEmail, until: IN_A_YEAR, reason: 'Advertising' },
        ])
        assert.deepEqual(dataOf('account.suspension-lifted'), [{ userId, email: newEmail }])
        assert.deepEqual(dataOf('account.deleted'), [{ userId }])
        assert.equal(events.length, 8)
        assert.deepEqual(
          other.receiver.eventsOf(userId).map(({ type }) => type),
          ['account.suspended'],
        )

        const verifier = new Webhook(secret)
        for (const { body, headers } of receiver.received) {
          verifier.verify(body, headers)
          assert.throws(() => verifier.verify(`${body} `, headers), /No matching signature/)
          assert.equal(headers['content-type'], 'application/json')
          assert.match(headers['webhook-id'] ?? '', /^msg_[0-9a-f]{32}$/)
          assert.match(JSON.parse(body).timestamp, /^\d{4}-\d\d-\d\dT/)
        }
        const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
        assert.equal(new Set(ids).size, ids.length)
      })

      it('tell that an account is verified by a reset, and leave nothing of a deleted account', async () => {
        const { receiver, webhookId } = await begin(['account.created', 'account.verified', 'account.deleted'])
        receiver.status = 500
        const { email, userId } = await register(service)
        assertSucceeded(await reset(service, email, await newResetCode(service, email)))
        assert.deepEqual((await deliveriesOf(service, webhookId)).map(({ type }) => type).toSorted(), [
          'account.created',
          'account.verified',
        ])
        const person = await logIn(service, { email, password: 'Brand-New-Horse-8' })
        const gone = await call(
          service,
          'DELETE',
          '/api/delete-user',
          { password: 'Brand-New-Horse-8' },
          { as: person },
        )
        assertSucceeded(gone)
        const left = await onlyDeliveryOf(service, webhookId)
        assert.deepEqual(JSON.parse(left.payload).data, { userId })
        assert.deepEqual(await tablesNaming(service, email), [])
      })

      it('are stored with the change, or not at all', async () => {
        const { webhookId } = await begin(['account.verified'])
        const { database, webhookEvents } = service.portico
        const person = await someone(service)
        const rolledBack = database.transaction(async (tx) => {
          await webhookEvents.enqueue(tx, 'account.verified', person)
          throw new Error('something else went wrong')
        })
        await assert.rejects(rolledBack, /something else went wrong/)
        assert.deepEqual(await deliveriesOf(service, webhookId), [])
      })

      it('change, and write the audit log without paths and secrets', async () => {
        const { receiver, webhookId, secret, remove } = await begin()
        const change = {
          webhookId,
          url: `${receiver.url}/token-in-path`,
          events: ['account.deleted', 'account.deleted'],
        }
        const { body } = await post(service, '/api/owner/webhooks/change', change, { as: owner })
        assert.deepEqual(body.data.webhook.events, ['account.deleted'])
        assert.equal(body.data.webhook.url, change.url)
        await post(service, '/api/owner/webhooks/rotate-secret', { webhookId }, { as: owner })
        await remove()
        const rows = await service.portico.database.query
          .selectFrom('owner_actions')
          .selectAll()
          .where('details', 'like', `%${webhookId}%`)
          .orderBy('sequence')
          .execute()
        assert.deepEqual(
          rows.map(({ action }) => action),
          ['webhook.created', 'webhook.changed', 'webhook.secret-rotated', 'webhook.deleted'],
        )
        assert.ok(rows.every(({ owner_id }) => owner_id === owner.userId))
        assert.deepEqual(JSON.parse(rows[1]?.details ?? ''), {
          webhookId,
          events: { from: ['session.started'], to: ['account.deleted'] },
        })
        assert.doesNotMatch(JSON.stringify(rows), /token-in-path|whsec_/)
        assert.ok(!JSON.stringify(rows).includes(secret))
      })

      it('refuse unknown events, other webhooks than those that exist, and more than 20', async () => {
        const { receiver } = await begin()
        const create = (body: object) => post(service, '/api/owner/webhooks', body, { as: owner })
        assertRefused(await create({ url: receiver.url, events: [] }), 400)
        assertRefused(await create({ url: receiver.url, events: ['account.exploded'] }), 400)
        const webhookId = '00000000-0000-4000-8000-000000000000'
        assertRefused(await post(service, '/api/owner/webhooks/change', { webhookId }, { as: owner }), 404)
        assertRefused(await del(service, '/api/owner/webhooks', { webhookId }, { as: owner }), 404)
        for (let number = 1; number < 20; number++)
          await createWebhook(service, owner, receiver.url, ['account.deleted'])
        assertRefused(
          await create({ url: receiver.url, events: ['account.deleted'] }),
          409,
          'A site can have at most 20 webhooks',
        )
      })

      it('pass the trace of the change on', async () => {
        const { receiver } = await begin()
        const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
        const trace = parseTrace(`00-${traceId}-00f067aa0ba902b7-01`, 'vendor=x')
        assert.ok(trace)
        await inTrace(trace, () => someone(service))
        await deliverDue(service)
        const { headers } = receiver.received.at(-1) ?? {}
        assert.match(headers?.traceparent ?? '', new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
        assert.equal(headers?.tracestate, 'vendor=x')
      })
    },
    { ...PRIVATE_WEBHOOKS, REAUTHENTICATE_AFTER: '90d' },
  )
})
