import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { ownProfile, removePassword } from '../support/accounts.ts'
import { assertSucceeded, eventTypes, get, type Person, post, signUp } from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

const socialAccount = (overrides: object) => ({ provider: 'forge', url: 'https://example.com/grace', ...overrides })
const social = (overrides: object) => ({ socialAccounts: [socialAccount(overrides)] })

describe('user-details', () => {
  onBothEngines((service) => {
    const update = (as: Person, body?: unknown) => post(service, '/api/user-details', body, { as })
    const rowOf = ({ userId }: Person) => service.portico.store.findById(userId)

    it('shows a new account with every field and its default', async () => {
      const person = await signUp(service)
      const response = await get(service, '/api/user-details', { as: person })
      assertSucceeded(response)
      const { username, ...others } = response.body.data.user
      assert.match(username, /^grace\.hopper\d*$/)
      assert.deepEqual(others, {
        _id: person.userId,
        firstName: 'Grace',
        lastName: 'Hopper',
        email: person.email,
        avatar: '',
        bio: '',
        location: { address: '', city: '', state: '', country: '', zipCode: '' },
        socialAccounts: [],
        preferences: { theme: 'system', font: 'sans' },
        dob: null,
        hasChangedUsername: false,
        authMethod: 'email',
        hasPassword: true,
      })
    })

    it('shows that the account has no password', async () => {
      const person = await signUp(service)
      await removePassword(service, person.email)
      assert.equal((await ownProfile(service, person)).hasPassword, false)
    })

    it('changes every editable field, and no other account', async () => {
      const [person, other] = [await signUp(service), await signUp(service)]
      const otherBefore = await rowOf(other)
      const profile = await ownProfile(service, person)
      const change = {
        firstName: 'Ada',
        lastName: 'Lovelace',
        bio: 'First line,\n<script>alert(1)</script> \'second\' "line" 😀',
        location: { address: '1 Main St', city: 'London', state: 'Greater London', country: 'UK', zipCode: 'W1' },
        socialAccounts: [socialAccount({}), socialAccount({ provider: 'site', url: 'http://example.org/?a=1' })],
        preferences: { theme: 'dark', font: 'mono' },
        dob: '1815-12-10T00:00:00.000Z',
      }
      const response = await update(person, change)
      assertSucceeded(response)
      assert.ok(!('data' in response.body))
      assert.deepEqual(await ownProfile(service, person), { ...profile, ...change })
      assert.deepEqual(await rowOf(other), otherBefore)
      assert.equal((await eventTypes(service, person))[0], 'profile.updated')
    })

    it('changes only the fields of the body, and merges location and preferences', async () => {
      const person = await signUp(service)
      assertSucceeded(await update(person, { bio: 'kept', location: { city: 'London', country: 'UK' } }))
      assertSucceeded(await update(person, { location: { city: 'Paris' }, preferences: { theme: 'dark' } }))
      assertSucceeded(await update(person, { preferences: { font: 'serif' }, firstName: '  Ada  ' }))
      const profile = await ownProfile(service, person)
      assert.equal(profile.bio, 'kept')
      assert.equal(profile.firstName, 'Ada')
      assert.equal(profile.lastName, 'Hopper')
      assert.deepEqual(profile.location, { address: '', city: 'Paris', state: '', country: 'UK', zipCode: '' })
      assert.deepEqual(profile.preferences, { theme: 'dark', font: 'serif' })
    })

    it('accepts its own response as a body', async () => {
      const person = await signUp(service)
      await update(person, { ...social({}), dob: '1990-12-31', bio: 'all of it' })
      const profile = await ownProfile(service, person)
      assertSucceeded(await update(person, profile))
      assert.deepEqual(await ownProfile(service, person), profile)
    })

    describe('of an existing profile', () => {
      let person: Person
      before(async () => {
        person = await signUp(service)
        await update(person, { bio: 'as it was', dob: '1990-12-31', location: { city: 'London' }, ...social({}) })
      })

      for (const body of [undefined, {}, { location: {}, preferences: {} }]) {
        it(`accepts ${JSON.stringify(body) ?? 'no body at all'} and changes nothing`, async () => {
          const [row, events] = [await rowOf(person), await eventTypes(service, person)]
          assertSucceeded(await update(person, body))
          assert.deepEqual(await rowOf(person), row)
          assert.deepEqual(await eventTypes(service, person), events)
        })
      }
    })
  })
})
