import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crowd, everythingStored, ownProfile, someone } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertHandled,
  assertRefused,
  assertSucceeded,
  eventTypes,
  fieldsOf,
  get,
  newEmail,
  type Person,
  post,
  registration,
} from '../support/api.ts'
import { samplesFor, VALID_VALUES, withEveryBodyRoute } from '../support/hostile-input.ts'
import { onBothEngines } from '../support/service.ts'

const VALUES = [7, true, null, 'text', ['text'], { $ne: 1 }]
const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)
const QUOTES = [`' OR '1'='1`, `'; DROP TABLE users; --`, `" OR ""="`]

describe('the API', () => {
  onBothEngines((service) => {
    const every = withEveryBodyRoute(service)
    const { send } = every

    it('refuses a value of another type for every field of every route, and names the field', async () => {
      const stored = await everythingStored(service)
      for (const route of every.routes) {
        for (const field of route.fields) {
          assert.ok(field in VALID_VALUES, `no sample for ${field}`)
          for (const value of VALUES.filter((value) => kindOf(value) !== kindOf(VALID_VALUES[field]))) {
            if (field === 'dob' && value === null) continue
            const response = await send(route, { ...samplesFor(route), [field]: value })
            assertNotValid(response, `${route.path} ${field} ${JSON.stringify(value)}`)
            assert.ok(field in fieldsOf(response), JSON.stringify(response.body))
          }
        }
      }
      assert.deepEqual(await everythingStored(service), stored)
    })

    it('refuses a value of another type inside a field', async () => {
      const stored = await everythingStored(service)
      const faulty: [string, unknown][] = [
        ['location.city', { location: { city: { $ne: 1 } } }],
        ['location.zipCode', { location: { zipCode: 12345 } }],
        ['preferences.theme', { preferences: { theme: ['dark'] } }],
        ['socialAccounts.0', { socialAccounts: ['https://example.com'] }],
        ['socialAccounts.0.url', { socialAccounts: [{ provider: 'x', url: null }] }],
        ['socialAccounts.1.provider', { socialAccounts: [social('x'), social({ $gt: '' })] }],
      ]
      for (const [field, body] of faulty) {
        const response = await post(service, '/api/user-details', body, { as: every.person })
        assertNotValid(response, field)
        assert.ok(field in fieldsOf(response), JSON.stringify(response.body))
      }
      assert.deepEqual(await everythingStored(service), stored)
    })

    it('stores quotes and SQL as text, in every field of every route', async () => {
      const [attacker, bystander] = await crowd(service, 2)
      const account = await service.portico.store.findById(bystander?.userId ?? '')
      for (const route of every.routes) {
        for (const field of route.fields.filter((field) => typeof VALID_VALUES[field] === 'string')) {
          for (const text of QUOTES) {
            const body = { ...samplesFor(route), email: newEmail(), [field]: text }
            assertHandled(await send(route, body, { as: attacker }))
          }
        }
      }
      assert.ok(account)
      assert.deepEqual(await service.portico.store.findById(account.id), account)
      const named = { firstName: QUOTES[0], lastName: QUOTES[1], bio: QUOTES[2] }
      assertSucceeded(await post(service, '/api/user-details', named, { as: every.person }))
      const { firstName, lastName, bio } = (await get(service, '/api/user-details', { as: every.person })).body.data
        .user
      assert.deepEqual({ firstName, lastName, bio }, named)
    })

    it('sets no field that the user may not set, in any body of any route', async () => {
      const [attacker, victim] = await crowd(service, 2)
      assert.ok(attacker && victim)
      const victimsBefore = await rowsNaming(victim)
      const privileged = privilegedFields(victim)
      for (const route of every.routes) {
        // Deleting the account would hide the effects of the other requests.
        if (route.path === '/api/delete-user') continue
        const body = { ...privileged, ...samplesFor(route), email: newEmail() }
        assertHandled(await send(route, body, { as: attacker, headers: { 'x-user-id': victim.userId } }))
      }
      assert.deepEqual(await rowsNaming(victim), victimsBefore)
      const account = await service.portico.store.findById(attacker.userId)
      assert.deepEqual([account?.email, account?.auth_method], [attacker.email, 'email'])
    })

    it('registers no account with a field that the user may not set', async () => {
      const victim = await someone(service)
      const body = registration()
      const response = await post(service, '/api/create-account', { ...privilegedFields(victim), ...body })
      assertSucceeded(response, 201)
      const { userId } = response.body.data
      const account = await service.portico.store.findById(userId)
      assert.notEqual(userId, victim.userId)
      assert.match(account?.username ?? '', /^grace\.hopper\d*$/)
      const { email_verified_at, has_changed_username, auth_method, bio, avatar } = account ?? {}
      assert.deepEqual([email_verified_at, has_changed_username, auth_method, bio, avatar], [null, 0, 'email', '', ''])
      assertRefused(await post(service, '/api/log-in', { email: body.email, password: body.password }), 403)
    })

    const update = (as: Person, body: unknown) => post(service, '/api/user-details', body, { as })
    const rowOf = ({ userId }: Person) => service.portico.store.findById(userId)

    it('changes no field of a profile that is read-only or unknown, whichever account the body names', async () => {
      const [owner, other] = await crowd(service, 2)
      assert.ok(owner && other)
      const [before, otherBefore] = [await rowOf(owner), await rowOf(other)]
      const response = await update(owner, {
        _id: other.userId,
        id: other.userId,
        userId: other.userId,
        email: other.email,
        username: 'somebody-else',
        avatar: 'https://example.com/a.png',
        hasPassword: false,
        hasChangedUsername: true,
        authMethod: 'idp',
        isAdmin: true,
        password: 'Another-Horse-7',
        password_hash: null,
        email_verified_at: null,
        location: { planet: 'Mars' },
        preferences: { isAdmin: true },
      })
      assertSucceeded(response)
      assert.deepEqual(await rowOf(owner), before)
      assert.deepEqual(await rowOf(other), otherBefore)
      assert.ok(!(await eventTypes(service, owner)).includes('profile.updated'))
    })

    it('stores only the two fields of a social account', async () => {
      const owner = await someone(service)
      assertSucceeded(await update(owner, { socialAccounts: [{ ...social('forge'), isAdmin: true }] }))
      assert.deepEqual((await ownProfile(service, owner)).socialAccounts, [social('forge')])
    })

    async function rowsNaming({ userId, email }: Person): Promise<string[]> {
      const rows = Object.values(await everythingStored(service)).flat()
      return rows.filter((row) => row.includes(userId) || row.includes(email)).sort()
    }
  })
})

/** Every privileged field that an attacker might try to set. */
function privilegedFields({ userId, email, sessionId }: Person): Record<string, unknown> {
  return {
    _id: userId,
    id: userId,
    userId,
    user_id: userId,
    sub: userId,
    owner: email,
    sid: sessionId,
    username: 'wished-for',
    avatar: 'https://example.com/a.png',
    bio: 'wished for',
    isAdmin: true,
    admin: true,
    role: 'admin',
    roles: ['admin'],
    permissions: ['*'],
    verified: true,
    isVerified: true,
    emailVerified: true,
    email_verified_at: 1,
    emailVerifiedAt: 1,
    hasPassword: false,
    password_hash: null,
    passwordHash: 'x',
    hasChangedUsername: true,
    authMethod: 'idp',
    has_changed_username: 1,
    auth_method: 'idp',
    created_at: 1,
    createdAt: 1,
    revokedAt: null,
    tries_left: 99,
  }
}

function social(provider: unknown) {
  return { provider, url: 'https://example.com' }
}

function assertNotValid(response: ApiResponse, what: string): void {
  assert.equal(response.status, 400, `${what}: ${JSON.stringify(response.body)}`)
  assertRefused(response, 400, 'Validation failed')
  assert.notDeepEqual(fieldsOf(response), {})
}
