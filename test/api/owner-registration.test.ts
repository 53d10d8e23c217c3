import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  del,
  fieldCodesOf,
  get,
  newEmail,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { invitationFor, signUpOwner } from '../support/owners.ts'
import { onBothEngines } from '../support/service.ts'

interface Listed {
  invitationId: string
  email: string
  state: string
  userId: string | null
}

describe('who may register, at the owner’s desk', () => {
  onBothEngines((service) => {
    const change = (as: Person, body: unknown) => post(service, '/api/owner/registration', body, { as })
    const invite = (as: Person, email: string, days?: number) =>
      post(service, '/api/owner/invitations', { email, days }, { as })
    const list = (as: Person, query = '') => get(service, `/api/owner/invitations?${query}`, { as })

    async function auditOf(owner: Person) {
      const rows = await service.portico.database.query
        .selectFrom('owner_actions')
        .select(['action', 'details'])
        .where('owner_id', '=', owner.userId)
        .orderBy('sequence')
        .execute()
      return rows.map(({ action, details }) => ({ action, details: JSON.parse(details) }))
    }

    it('is changed field by field, with the values before and after in the audit log', async () => {
      const owner = await signUpOwner(service)
      assert.deepEqual((await get(service, '/api/owner/registration', { as: owner })).body.data, {
        mode: 'open',
        allowedDomains: [],
      })
      const allowedDomains = ['Example.COM', 'example.com', ' bücher.example ', 'xn--bcher-kva.example']
      assertSucceeded(await change(owner, { allowedDomains }))
      assertSucceeded(await change(owner, { mode: 'closed' }))
      assertSucceeded(await change(owner, { mode: 'closed' }))
      assert.deepEqual((await get(service, '/api/owner/registration', { as: owner })).body.data, {
        mode: 'closed',
        allowedDomains: ['example.com', 'xn--bcher-kva.example'],
      })
      assertSucceeded(await change(owner, { mode: 'open', allowedDomains: [] }))
      const domains = ['example.com', 'xn--bcher-kva.example']
      assert.deepEqual(await auditOf(owner), [
        { action: 'registration.changed', details: { allowedDomains: { from: [], to: domains } } },
        { action: 'registration.changed', details: { mode: { from: 'open', to: 'closed' } } },
        {
          action: 'registration.changed',
          details: { mode: { from: 'closed', to: 'open' }, allowedDomains: { from: domains, to: [] } },
        },
      ])
    })

    it('refuses other modes, what is no domain, and more than 100 domains', async () => {
      const owner = await signUpOwner(service)
      assertRefused(await change(owner, { mode: 'all' }), 400)
      for (const domain of [
        '',
        'localhost',
        '*.example.com',
        'a@example.com',
        '-a.example',
        'a..b',
        `${'ä'.repeat(250)}.de`,
      ])
        assert.equal(fieldCodesOf(await change(owner, { allowedDomains: [domain] })).allowedDomains, 'invalid_format')
      const many = Array.from({ length: 101 }, (_, number) => `d${number}.example`)
      assert.equal(fieldCodesOf(await change(owner, { allowedDomains: many })).allowedDomains, 'too_many')
      assert.deepEqual(await auditOf(owner), [])
    })

    it('lists invitations in pages with their states, newest first', async () => {
      const owner = await signUpOwner(service)
      const [expired, revoked, used, open] = [newEmail(), newEmail(), newEmail(), newEmail()]
      assertSucceeded(await invite(owner, expired, 1), 201)
      await service.advanceTime({ hours: 24 })
      const { body } = await invite(owner, revoked)
      const { invitationId } = body.data
      const revoke = () => del(service, '/api/owner/invitations', { invitationId }, { as: owner })
      assertSucceeded(await revoke())
      assertRefused(await revoke(), 404, 'There is no such open invitation')
      assertSucceeded(await invite(owner, used), 201)
      const person = await signUp(service, { email: used, invitation: await invitationFor(service, used) })
      assertSucceeded(await invite(owner, open), 201)
      const seen: Listed[] = []
      for (let next: string | null = ''; next !== null && seen.length < 4; ) {
        const page = await list(owner, `limit=3${next && `&after=${next}`}`)
        assertSucceeded(page)
        seen.push(...page.body.data.invitations)
        next = page.body.data.next
      }
      assert.deepEqual(
        seen.slice(0, 4).map(({ email, state, userId }) => [email, state, userId]),
        [
          [open, 'open', null],
          [used, 'used', person.userId],
          [revoked, 'revoked', null],
          [expired, 'expired', null],
        ],
      )
      const actions = (await auditOf(owner)).map(({ action }) => action)
      assert.equal(actions.filter((action) => action === 'invitation.created').length, 4)
      assert.equal(actions.filter((action) => action === 'invitation.revoked').length, 1)
    })

    it('sends no mail of a revoked invitation, and keeps the other mails of the address', async () => {
      const owner = await signUpOwner(service)
      const recipient = newEmail()
      const { body } = await invite(owner, recipient)
      const { query } = service.portico.database
      const mail = { recipient, text_body: '', html_body: '', created_at: 0, due_at: Date.now() + 3_600_000 }
      await query
        .insertInto('outbox')
        .values([
          { ...mail, id: randomUUID(), subject: 'You are invited' },
          { ...mail, id: randomUUID(), subject: 'You are invited', failed_at: 1 },
          { ...mail, id: randomUUID(), subject: 'Verify your e-mail address' },
        ])
        .execute()
      const { invitationId } = body.data
      assertSucceeded(await del(service, '/api/owner/invitations', { invitationId }, { as: owner }))
      const waiting = await query.selectFrom('outbox').select('subject').where('recipient', '=', recipient).execute()
      assert.deepEqual(
        waiting.map(({ subject }) => subject),
        ['Verify your e-mail address'],
      )
    })

    it('invites no address that has an account, and for 1 to 90 days', async () => {
      const owner = await signUpOwner(service)
      assertRefused(await invite(owner, (await someone(service)).email), 409, 'Email already registered')
      for (const days of [0, 91, 1.5]) assertRefused(await invite(owner, newEmail(), days), 400)
    })

    it('refuses cursors that it has not made', async () => {
      const { userId: id, ...owner } = await signUpOwner(service)
      const refuses = async (path: string) => assertRefused(await get(service, path, { as: owner }), 400)
      for (const after of ['x', '1', `1.${id}x`, `a.${id}`, `${'9'.repeat(20)}.${id}`])
        await refuses(`/api/owner/invitations?after=${after}`)
      for (const position of [
        [0, 'abc', id],
        [0, 1, [id]],
        [0, 1e300, id],
      ])
        await refuses(`/api/owner/people?after=${Buffer.from(JSON.stringify(position)).toString('base64url')}`)
    })
  })
})
