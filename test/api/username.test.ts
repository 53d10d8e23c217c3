import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { ownProfile } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, eventTypes, fieldsOf, get, type Person, post, signUp } from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

const newUsername = () => `Name-${randomUUID().slice(0, 8)}`

describe('change-username', () => {
  onBothEngines((service) => {
    const ask = (as: Person, username: string) =>
      get(service, `/api/change-username?username=${encodeURIComponent(username)}`, { as })
    const change = (as: Person, username: unknown) => post(service, '/api/change-username', { username }, { as })
    const usernameOf = async (person: Person): Promise<string> => (await ownProfile(service, person)).username

    async function assertAvailable(as: Person, username: string, available: boolean) {
      const response = await ask(as, username)
      assertSucceeded(response)
      assert.deepEqual(response.body.data, { available })
    }

    /** Nothing changed, and the one change is still available. */
    async function assertStillChangeable(person: Person, username: string) {
      const profile = await ownProfile(service, person)
      assert.equal(profile.username, username)
      assert.equal(profile.hasChangedUsername, false)
      assert.ok(!(await eventTypes(service, person)).includes('username.changed'))
    }

    it('changes the username, in the given spelling, and adds a security event', async () => {
      const person = await signUp(service)
      const [before, username] = [await ownProfile(service, person), newUsername()]
      await assertAvailable(person, username, true)
      const response = await change(person, username)
      assertSucceeded(response)
      assert.deepEqual(response.body.data, { username })
      assert.deepEqual(await ownProfile(service, person), { ...before, username, hasChangedUsername: true })
      assert.deepEqual((await eventTypes(service, person)).slice(0, 1), ['username.changed'])
    })

    it('releases the old name for other users', async () => {
      const [person, other] = [await signUp(service), await signUp(service)]
      const old = await usernameOf(person)
      await change(person, newUsername())
      await assertAvailable(other, old, true)
      assertSucceeded(await change(other, old))
    })

    it('refuses a second change, also to a name that is taken or to the old one', async () => {
      const [person, other] = [await signUp(service), await signUp(service)]
      const [old, username] = [await usernameOf(person), newUsername()]
      await change(person, username)
      for (const second of [newUsername(), await usernameOf(other), old]) {
        assertRefused(await change(person, second), 403, 'You have already changed your username')
      }
      assert.equal(await usernameOf(person), username)
      const changes = (await eventTypes(service, person)).filter((type) => type === 'username.changed')
      assert.equal(changes.length, 1)
    })

    it('refuses a name that is taken, in any case, and keeps the change available', async () => {
      const [person, other] = [await signUp(service), await signUp(service)]
      const [own, taken] = [await usernameOf(person), newUsername()]
      await change(other, taken)
      for (const spelling of [taken, taken.toUpperCase(), taken.toLowerCase()]) {
        await assertAvailable(person, spelling, false)
        assertRefused(await change(person, spelling), 409, 'Username is already taken')
      }
      await assertStillChangeable(person, own)
      assert.equal(await usernameOf(other), taken)
      assertSucceeded(await change(person, newUsername()))
    })

    it('refuses a name that another account got at registration', async () => {
      const [person, other] = [await signUp(service), await signUp(service)]
      const taken = await usernameOf(other)
      await assertAvailable(person, taken, false)
      assertRefused(await change(person, taken), 409, 'Username is already taken')
    })

    it('lets the owner change the case of the name, and does not count the same spelling as a change', async () => {
      const person = await signUp(service)
      const own = await usernameOf(person)
      await assertAvailable(person, own, false)
      assertRefused(await change(person, own), 409)
      await assertStillChangeable(person, own)

      const spelling = own.toUpperCase()
      await assertAvailable(person, spelling, true)
      assertSucceeded(await change(person, spelling))
      assert.equal(await usernameOf(person), spelling)
    })

    describe('of a user who has not changed it', () => {
      let person: Person
      let own: string
      before(async () => {
        person = await signUp(service)
        own = await usernameOf(person)
      })

      for (const name of ['admin', 'API', 'log-in', 'Support', 'feed.xml', 'sitemap.xml', 'llms.txt', 'openapi.json']) {
        it(`reserves ${name} for the site`, async () => {
          await assertAvailable(person, name, false)
          assertRefused(await change(person, name), 409, 'Username is already taken')
          await assertStillChangeable(person, own)
        })
      }

      const ill = [
        '',
        'ab',
        'x'.repeat(31),
        '-grace',
        'grace-',
        '.grace',
        'grace.',
        '_grace',
        'grace_',
        'grace hopper',
        ' grace',
        'grace\n',
        'grace/hopper',
        'grace@hopper',
        '../grace',
        'gr\u00e4ce',
        '\u0261race',
        'gra\u200bce',
        '<grace>',
        "grace'--x",
      ]
      for (const name of ill) {
        it(`refuses ${JSON.stringify(name)} when it is queried and when it is chosen`, async () => {
          for (const response of [await ask(person, name), await change(person, name)]) {
            assertRefused(response, 400, 'Validation failed')
            assert.deepEqual(Object.keys(fieldsOf(response)), ['username'])
          }
          await assertStillChangeable(person, own)
        })
      }

      for (const value of [undefined, null, 12345, ['grace-h'], { $ne: 1 }]) {
        it(`refuses ${JSON.stringify(value) ?? 'nothing'} as a username`, async () => {
          const response = await change(person, value)
          assertRefused(response, 400, 'Validation failed')
          assert.deepEqual(Object.keys(fieldsOf(response)), ['username'])
          await assertStillChangeable(person, own)
        })
      }

      for (const query of ['', '?name=grace', '?username=one-name&username=two-names']) {
        it(`refuses the query "${query}"`, async () => {
          const response = await get(service, `/api/change-username${query}`, { as: person })
          assertRefused(response, 400, 'Validation failed')
          assert.deepEqual(Object.keys(fieldsOf(response)), ['username'])
        })
      }

      for (const name of ['x7y', 'X'.repeat(30), 'Grace_M.Hopper-1', '1906', 'a--b..c__d']) {
        it(`reports ${name} as available`, () => assertAvailable(person, name, true))
      }

      it('reserves no name by a query', async () => {
        await assertStillChangeable(person, own)
        const shortest = 'q9z'
        await assertAvailable(person, shortest, true)
        await assertAvailable(person, shortest, true)
        assertSucceeded(await change(person, shortest))
      })
    })
  })
})
