import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteAccount } from '../../src/accounts/delete-account.ts'
import { COMMAND_LINE } from '../../src/events/owner-actions.ts'
import { notFound, Refusal } from '../../src/http/refusal.ts'
import type { Request } from '../../src/http/request.ts'
import { createPerson } from '../../src/owner/create-person.ts'
import { endPersonSessions } from '../../src/owner/end-person-sessions.ts'
import { ownerRoutes } from '../../src/owner/routes.ts'
import { assertAlive, newResetCode, register, reset, tryLogIn, verify } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  call,
  codeFor,
  get,
  PASSWORD,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { IN_A_YEAR, signUpOwner } from '../support/owners.ts'
import { onBothEngines, startService } from '../support/service.ts'

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  examples?: unknown[]
  default?: unknown
}

const sampleOf = ({ examples = [], items, default: byDefault }: Schema): unknown =>
  items ? [sampleOf(items)] : (examples[0] ?? byDefault)

describe('the paths of owners', () => {
  onBothEngines((service) => {
    async function roleOf({ userId }: Pick<Person, 'userId'>): Promise<string> {
      const { query } = service.portico.database
      const { role } = await query.selectFrom('users').select('role').where('id', '=', userId).executeTakeFirstOrThrow()
      return role
    }

    it('do not exist for strangers and members, whatever they send', async () => {
      const member = await signUp(service)
      const paths = ownerRoutes(service.portico).map(([method, path]) => [method, path] as const)
      const unknown = await call(service, 'GET', '/api/no-such-path', undefined, { as: member })
      const known = [...paths, ['GET', '/api/owner/openapi.json'] as const]
      const others = [...new Set(known.map(([, path]) => path))].flatMap((path) =>
        ['POST', 'DELETE', 'PUT', 'OPTIONS'].map((method) => [method, path] as const),
      )
      for (const [method, path] of [...known, ...others]) {
        for (const as of [undefined, member]) {
          const body = method === 'GET' ? undefined : { userId: member.userId, role: 'owner', email: member.email }
          const response = await call(service, method, path, body, as ? { as } : {})
          assertRefused(response, 404, 'Not found')
          assert.deepEqual(response.body.code, unknown.body.code)
        }
      }
      await assertAlive(service, member)
      assert.equal(await roleOf(member), 'member')
    })

    it('are refused before the body is read, so that no time tells about the person whom it names', async () => {
      const member = await signUp(service)
      for (const [method, path] of ownerRoutes(service.portico)) {
        if (method === 'GET') continue
        for (const as of [undefined, member])
          assertRefused(await call(service, method, path, '{', as ? { as } : {}), 404, 'Not found')
      }
    })

    it('respond to no text with an error of the service', async () => {
      const owner = await signUpOwner(service)
      for (const [method, path, operation] of ownerRoutes(service.portico)) {
        const { properties = {} } = (operation.body ?? operation.query ?? {}) as Schema
        const samples = Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)] as const)
        for (const [field, sample] of samples.filter(([, sample]) => typeof sample !== 'boolean')) {
          for (const text of ['a\0b', '9'.repeat(400)]) {
            const values = Object.fromEntries([...samples, [field, Array.isArray(sample) ? [text] : text]])
            const isRead = operation.body === undefined
            const target = isRead ? `${path}?${new URLSearchParams(values as Record<string, string>)}` : path
            const response = await call(service, method, target, isRead ? undefined : values, { as: owner })
            assert.ok(response.status < 500, `${method} ${path} ${field} ${text}: ${response.status}`)
          }
        }
      }
    })

    it('change nothing for an owner whose sessions have ended since the request was authenticated', async () => {
      const [one, other] = [await signUpOwner(service), await signUpOwner(service)]
      const user = await service.portico.store.findById(other.userId)
      assert.ok(user)
      const caller = { userId: other.userId, sessionId: other.sessionId, user, isBrowser: false }
      const actor = { ...COMMAND_LINE, caller }
      const suspension = { userId: other.userId, until: IN_A_YEAR, reason: 'x' }
      // A year of more than four digits could be exported and not imported again.
      const endless = { ...suspension, until: '+275760-09-13T00:00:00.000Z' }
      assertRefused(await post(service, '/api/owner/person/suspend', endless, { as: one }), 400)
      assertSucceeded(await post(service, '/api/owner/person/suspend', suspension, { as: one }))
      const body = { userId: one.userId, email: one.email, firstName: 'Ada' }
      const isRefused = (error: unknown) => error instanceof Refusal && error.kind === notFound
      await assert.rejects(endPersonSessions(service.portico).run({ body, query: {}, actor }), isRefused)
      await assert.rejects(createPerson(service.portico).run({ body, query: {}, actor }), isRefused)
      await assertAlive(service, one)
    })

    it('describe themselves to owners', async () => {
      const owner = await signUpOwner(service)
      const response = await get(service, '/api/owner/openapi.json', { as: owner })
      assert.equal(response.status, 200)
      assert.ok('/api/owner/people' in (response.body as unknown as { paths: object }).paths)
    })

    it('give no role to a person who sends one with registration, profile or log-in', async () => {
      const person = await signUp(service, { role: 'owner', suspended_until: null })
      assertSucceeded(await post(service, '/api/user-details', { role: 'owner', bio: 'x' }, { as: person }))
      await post(service, '/api/log-in', { email: person.email, password: PASSWORD, role: 'owner' })
      assert.equal(await roleOf(person), 'member')
    })

    it('need a recent proof for what destroys', async () => {
      const owner = await signUpOwner(service)
      const person = await signUp(service)
      await service.portico.database.query
        .updateTable('sessions')
        .set({ authenticated_at: 0, created_at: Date.now() - 24 * 60 * 60_000 })
        .where('id', '=', owner.sessionId)
        .execute()
      const suspension = { userId: person.userId, until: IN_A_YEAR, reason: 'x' }
      assertRefused(await post(service, '/api/owner/person/suspend', suspension, { as: owner }), 403)
      await assertAlive(service, person)
    })

    it('let a suspended person in by no way', async () => {
      const owner = await signUpOwner(service)
      const person = await signUp(service)
      assertSucceeded(await post(service, '/api/log-in/code', { email: person.email }))
      const code = await codeFor(service, person.email)
      const suspension = { userId: person.userId, until: IN_A_YEAR, reason: 'x' }
      assertSucceeded(await post(service, '/api/owner/person/suspend', suspension, { as: owner }))
      assertRefused(await tryLogIn(service, person.email, PASSWORD), 403, 'Your account is suspended')
      const byCode = await post(service, '/api/log-in/code/verify', { email: person.email, code })
      assertRefused(byCode, 403, 'Your account is suspended')
      const resetCode = await newResetCode(service, person.email)
      assertSucceeded(await reset(service, person.email, resetCode))
      assertRefused(await tryLogIn(service, person.email, 'Brand-New-Horse-8'), 403, 'Your account is suspended')
    })
  })
})

describe('the last owner', () => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    it(`stays one on ${engine}, also when two owners remove each other at once`, async (t) => {
      const service = await startService(engine)
      cleanUp(t, () => service.close())
      const [one, other] = [await signUpOwner(service), await signUpOwner(service)]
      const remove = (as: Person, { userId }: Person) =>
        post(service, '/api/owner/person/role', { userId, role: 'member' }, { as })
      const statuses = (await Promise.all([remove(one, other), remove(other, one)])).map(({ status }) => status)
      assert.deepEqual(statuses.toSorted(), [200, 404])
      const [left, gone] = statuses[0] === 200 ? [one, other] : [other, one]
      assertRefused(await remove(left, left), 409, 'The last owner of the site cannot be removed')
      assertRefused(await get(service, '/api/owner/people', { as: gone }), 404)
      // A request that was authenticated before the role was given.
      const row = await service.portico.store.findById(left.userId)
      assert.ok(row)
      const { userId, sessionId } = left
      const caller = {
        userId,
        sessionId,
        isBrowser: false,
        user: { ...row, role: 'member', password_hash: null } as const,
      }
      const stale = { body: {}, query: {}, caller, request: {} as Request }
      await assert.rejects(async () => deleteAccount(service.portico).handle(stale), /last owner/)
      const ownDeletion = await call(service, 'DELETE', '/api/delete-user', { password: PASSWORD }, { as: left })
      assertRefused(ownDeletion, 409, 'The last owner of the site cannot be removed')
      await assertAlive(service, left)
    })
  }
})

describe('OWNER_EMAIL', () => {
  it('makes its account an owner when the address is verified, and no other account', async (t) => {
    const service = await startService('sqlite', { OWNER_EMAIL: 'Me@example.com' })
    cleanUp(t, () => service.close())
    const other = await signUp(service)
    assertRefused(await get(service, '/api/owner/people', { as: other }), 404)
    const { email, code } = await register(service, { email: 'me@example.com' })
    const { query } = service.portico.database
    const roles = () => query.selectFrom('users').select('role').where('email', '=', email).execute()
    assert.equal((await roles())[0]?.role, 'member')
    assertSucceeded(await verify(service, email, code))
    assert.equal((await roles())[0]?.role, 'owner')
  })
})
