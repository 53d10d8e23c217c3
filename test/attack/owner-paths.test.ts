import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteAccount } from '../../src/accounts/delete-account.ts'
import { COMMAND_LINE } from '../../src/events/owner-actions.ts'
import { notFound, Refusal } from '../../src/http/refusal.ts'
import type { Request } from '../../src/http/request.ts'
import { createPerson } from '../../src/owner/create-person.ts'
import { endPersonSessions } from '../../src/owner/end-person-sessions.ts'
import { ownerRoutes } from '../../src/owner/routes.ts'
import { assertAlive, NEW_PASSWORD, newResetCode, register, reset, tryLogIn, verify } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  call,
  codeFor,
  del,
  get,
  logIn,
  newEmail,
  PASSWORD,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { confirmChange, requestChange } from '../support/email-changes.ts'
import { IN_A_YEAR, makeOwner, signUpOwner } from '../support/owners.ts'
import { addApp, appCode } from '../support/second-factor.ts'
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

    async function addPasskey({ userId }: Person): Promise<void> {
      await service.portico.database.query
        .insertInto('passkeys')
        .values({
          id: `key-${userId}`,
          user_id: userId,
          name: 'Key',
          public_key: '',
          sign_count: 0,
          transports: '[]',
          is_backed_up: 0,
          aaguid: '',
          created_at: 0,
        })
        .execute()
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

    it('need the second factor of an account that has one', async () => {
      const owner = await signUpOwner(service)
      await addPasskey(owner)
      const refused = await get(service, '/api/owner/people', { as: owner })
      assertRefused(refused, 403, 'Please prove your identity again')
      assert.deepEqual(refused.body.data, { means: ['passkey'] })
    })

    it('stay closed to a password alone, which cannot change the passkeys or the app of an owner', async () => {
      const owner = await signUpOwner(service)
      const member = await signUp(service)
      for (const person of [owner, member]) await addPasskey(person)
      const changes = [
        ['DELETE', '/api/passkeys', (person: Person) => ({ id: `key-${person.userId}` })],
        ['POST', '/api/passkeys/registration-options', () => undefined],
        ['POST', '/api/authenticator-app', () => undefined],
        ['DELETE', '/api/authenticator-app', () => undefined],
        ['POST', '/api/second-factor', () => ({ isRequired: true })],
        ['POST', '/api/recovery-codes', () => undefined],
        ['DELETE', '/api/delete-user', () => ({ password: PASSWORD })],
        [
          'POST',
          '/api/change-password',
          () => ({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }),
        ],
      ] as const
      // A new proof by password changes nothing.
      for (const as of [owner, member]) {
        assertSucceeded(await post(service, '/api/reauthenticate', { password: PASSWORD }, { as }))
      }
      for (const [method, path, bodyOf] of changes) {
        const refused = await call(service, method, path, bodyOf(owner), { as: owner })
        assertRefused(refused, 403, 'Please prove your identity again')
        assert.deepEqual(refused.body.data, { means: ['passkey'] }, path)
      }
      assertRefused(await get(service, '/api/owner/people', { as: owner }), 403)
      const { query } = service.portico.database
      assert.ok(await query.selectFrom('passkeys').select('id').where('user_id', '=', owner.userId).executeTakeFirst())
      // A member who has lost the passkey can still remove it.
      const removed = await call(service, 'DELETE', '/api/passkeys', { id: `key-${member.userId}` }, { as: member })
      assertSucceeded(removed)
    })

    it('stay closed to a session that has used an app which was removed before the owner added another', async () => {
      const owner = await signUpOwner(service)
      const thief = await logIn(service, owner)
      const { secret } = await addApp(service, thief)
      assertSucceeded(await post(service, '/api/reauthenticate', { code: appCode(secret) }, { as: thief }))
      assertSucceeded(await del(service, '/api/authenticator-app', undefined, { as: thief }))
      await addApp(service, owner)
      assertSucceeded(await post(service, '/api/reauthenticate', { password: PASSWORD }, { as: thief }))
      assertRefused(await get(service, '/api/owner/people', { as: thief }), 403, 'Please prove your identity again')
      const { means } = (await get(service, '/api/owner/people', { as: thief })).body.data
      assert.deepEqual(means, ['authenticator-app'])
    })

    it('do not finish a change of the address that a password began before the person became an owner', async () => {
      const person = await signUp(service)
      const address = newEmail()
      assertSucceeded(await requestChange(service, person, address))
      const code = await codeFor(service, address)
      await addPasskey(person)
      await makeOwner(service, person)
      const refused = await confirmChange(service, person, code)
      assertRefused(refused, 403, 'Please prove your identity again')
      assert.equal((await service.portico.store.findById(person.userId))?.email, person.email)
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
