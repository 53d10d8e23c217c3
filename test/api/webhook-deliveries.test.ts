import assert from 'node:assert/strict'
import { afterEach, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import { someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, get, mailsTo, type Person, post } from '../support/api.ts'
import { suiteCleanUp } from '../support/clean-up.ts'
import { signUpOwner } from '../support/owners.ts'
import { onBothEngines } from '../support/service.ts'
import { deliverDue, deliveriesOf, onlyDeliveryOf, PRIVATE_WEBHOOKS, webhookAtReceiver } from '../support/webhooks.ts'

describe('deliveries of webhooks', () => {
  onBothEngines(
    (service) => {
      const suite = suiteCleanUp()

      afterEach(() => service.portico.database.query.deleteFrom('webhooks').execute())

      let owner: Person
      before(async () => {
        owner = await signUpOwner(service)
      })

      const begin = (events = ['session.started']) => webhookAtReceiver(service, suite, owner, events)

      it('are tried again with backoff and the same id, also after the death of an instance', async () => {
        const { receiver, webhookId, secret, list } = await begin()
        receiver.status = 500
        const person = await someone(service)
        const pauses = [10, 300, 1800, 7200]
        for (const [done, seconds] of pauses.entries()) {
          await deliverDue(service)
          const row = await onlyDeliveryOf(service, webhookId)
          assert.deepEqual([row.attempts, row.status_code, row.delivered_at], [done + 1, 500, null])
          assert.equal(row.last_error, 'the response has the status 500')
          assert.ok(
            (row.due_in ?? 0) <= seconds * 1000 && (row.due_in ?? 0) > (seconds - 60) * 1000,
            String(row.due_in),
          )
          // A busy machine may need the first ten seconds for less.
          if (done > 0) await deliverDue(service)
          assert.equal(receiver.received.length, done + 1)
          if (done === pauses.length - 1) receiver.status = 200
          await service.advanceTime({ seconds })
        }
        assert.ok((await list()).failingSince)
        // As an instance leaves the row that dies while it sends: the lease is not over yet.
        const { query, now } = service.portico.database
        await query
          .updateTable('webhook_deliveries')
          .set((eb) => ({ due_at: eb(now, '+', 120_000) }))
          .where('webhook_id', '=', webhookId)
          .execute()
        await deliverDue(service)
        assert.equal(receiver.received.length, 4)
        await service.advanceTime({ minutes: 2 })
        await deliverDue(service)
        assert.equal(receiver.received.length, 5)
        assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
        assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1)
        const last = receiver.received.at(-1)
        new Webhook(secret).verify(last?.body ?? '', last?.headers ?? {})
        const row = await onlyDeliveryOf(service, webhookId)
        assert.deepEqual([row.due_at, row.status_code, row.last_error, row.user_id], [null, 200, null, person.userId])
        assert.equal((await list()).failingSince, null)
      })

      it('do not count as failed after an owner has switched the webhook off', async () => {
        const { receiver, webhookId, list } = await begin()
        receiver.status = 500
        await someone(service)
        await deliverDue(service)
        assert.ok((await list()).failingSince)
        const off = { webhookId, isEnabled: false }
        assertSucceeded(await post(service, '/api/owner/webhooks/change', off, { as: owner }))
        const { isEnabled, failingSince } = await list()
        assert.deepEqual([isEnabled, failingSince], [false, null])
      })

      it('let no endpoint that fails take the turns of others', async () => {
        const [failing, working] = [await begin(), await begin()]
        failing.receiver.status = 503
        await Promise.all([someone(service), someone(service)])
        await deliverDue(service)
        const tried = failing.receiver.received.length
        // Makes the pause an hour longer.
        await service.advanceTime({ hours: -1 })
        await someone(service)
        await deliverDue(service)
        assert.equal(failing.receiver.received.length, tried, 'it was tried during its pause')
        assert.equal(working.receiver.received.length, 3)
      })

      it('switch an endpoint off after three days of failure, mail the owners, and resume when it is on again', async () => {
        const { receiver, webhookId, list } = await begin()
        receiver.status = 302
        receiver.respond = (response) =>
          response.writeHead(302, { location: receiver.url.replace('hook', 'other') }).end()
        await someone(service)
        await deliverDue(service)
        await service.advanceTime({ days: 3 })
        assert.equal((await list()).isEnabled, true)
        await deliverDue(service)
        assert.equal((await list()).isEnabled, false)
        assert.ok(
          receiver.received.every(({ path }) => path === '/hook'),
          'a redirect was followed',
        )
        const [mail] = await mailsTo(service, owner.email)
        assert.equal(mail?.subject, 'A webhook was switched off - Portico')
        assert.match(mail?.text ?? '', /the response has the status 302/)
        await someone(service)
        await service.advanceTime({ days: 1 })
        await deliverDue(service)
        assert.equal(receiver.received.length, 2)

        receiver.respond = undefined
        receiver.status = 200
        const on = { webhookId, isEnabled: true }
        assertSucceeded(await post(service, '/api/owner/webhooks/change', on, { as: owner }))
        await deliverDue(service)
        const row = await onlyDeliveryOf(service, webhookId)
        assert.equal(row.status_code, 200)
      })

      it('switch an endpoint off that says it is gone', async () => {
        const { receiver, list } = await begin()
        receiver.status = 410
        await someone(service)
        await deliverDue(service)
        assert.equal((await list()).isEnabled, false)
      })

      it('have two signatures during the overlap of a rotation, and one after it', async () => {
        const { receiver, webhookId, secret } = await begin()
        const rotate = (overlapHours: number) =>
          post(service, '/api/owner/webhooks/rotate-secret', { webhookId, overlapHours }, { as: owner })
        const { secret: second } = (await rotate(24)).body.data
        const send = async () => {
          await someone(service)
          await deliverDue(service)
          const { body = '', headers = {} } = receiver.received.at(-1) ?? {}
          return (key: string) => new Webhook(key).verify(body, headers)
        }
        const during = await send()
        during(secret)
        during(second)
        assert.equal(receiver.received.at(-1)?.headers['webhook-signature']?.split(' ').length, 2)
        await service.advanceTime({ hours: 24 })
        const after = await send()
        after(second)
        assert.throws(() => after(secret))
        await deleteExpiredRows(service.portico.database)
        const stored = await service.portico.database.query
          .selectFrom('webhooks')
          .select(['secret', 'previous_secret'])
          .where('id', '=', webhookId)
          .executeTakeFirstOrThrow()
        assert.equal(stored.previous_secret, null)
        assert.ok(!stored.secret.includes(second.slice('whsec_'.length, 20)))
        const { secret: third } = (await rotate(0)).body.data
        const atOnce = await send()
        atOnce(third)
        assert.throws(() => atOnce(second))
      })

      it('list deliveries in pages, and send one again with its id', async () => {
        const { receiver, webhookId, remove } = await begin()
        const people = [await someone(service), await someone(service), await someone(service)]
        await deliverDue(service)
        const seen: string[] = []
        let next: string | null = null
        do {
          const query = new URLSearchParams({ webhookId, limit: '2', ...(next && { after: next }) })
          const { body } = await get(service, `/api/owner/webhooks/deliveries?${query}`, { as: owner })
          seen.push(...body.data.deliveries.map(({ deliveryId }: { deliveryId: string }) => deliveryId))
          next = body.data.next
        } while (next)
        assert.equal(new Set(seen).size, people.length)
        assert.equal(seen.length, people.length)
        const resend = (deliveryId: string) =>
          post(service, '/api/owner/webhooks/deliveries/resend', { deliveryId }, { as: owner })
        const [deliveryId = ''] = seen
        receiver.status = 500
        assertSucceeded(await resend(deliveryId))
        await deliverDue(service)
        assert.equal(receiver.received.filter(({ headers }) => headers['webhook-id'] === deliveryId).length, 2)
        await service.advanceTime({ minutes: -1 })
        assertRefused(
          await resend(deliveryId),
          409,
          'The event is being sent, or will be tried again within four minutes',
        )
        assertRefused(await resend(`msg_${'0'.repeat(32)}`), 404, 'There is no such delivery')
        const off = { webhookId, isEnabled: false }
        assertSucceeded(await post(service, '/api/owner/webhooks/change', off, { as: owner }))
        assertRefused(await resend(deliveryId), 409, 'The webhook is switched off: switch it on first')
        await remove()
        assertRefused(await get(service, `/api/owner/webhooks/deliveries?webhookId=${webhookId}`, { as: owner }), 404)
      })

      it('keep a delivery log of 30 days', async () => {
        const { webhookId } = await begin()
        await someone(service)
        await deliverDue(service)
        await service.advanceTime({ days: 29 })
        await deleteExpiredRows(service.portico.database)
        assert.equal((await deliveriesOf(service, webhookId)).length, 1)
        await service.advanceTime({ days: 2 })
        await deleteExpiredRows(service.portico.database)
        assert.equal((await deliveriesOf(service, webhookId)).length, 0)
      })
    },
    { ...PRIVATE_WEBHOOKS, REAUTHENTICATE_AFTER: '90d' },
  )
})
