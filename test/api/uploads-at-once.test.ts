import assert from 'node:assert/strict'
import { before, describe, it, type TestContext } from 'node:test'
import { crowd, ownProfile, someone, tryLogIn } from '../support/accounts.ts'
import { assertHandled, assertRefused, assertSucceeded, del, get, PASSWORD, post } from '../support/api.ts'
import {
  assertGone,
  assertServed,
  largePicture,
  nameOf,
  newAvatar,
  picturesOf,
  upload,
  uploaded,
} from '../support/pictures.ts'
import { onBothEngines } from '../support/service.ts'

describe('of concurrent uploads', () => {
  onBothEngines((service) => {
    it('of one account, one is kept beside the avatar, and all get a response', async () => {
      const person = await someone(service)
      const avatar = await newAvatar(service, person)
      const urls = await Promise.all(Array.from({ length: 16 }, () => uploaded(service, person)))
      assert.equal(new Set(urls).size, 16)
      const { used, unused } = await picturesOf(service, person)
      assert.deepEqual(used, [nameOf(avatar)])
      assert.equal(unused.length, 1)
      const latest = urls.filter((url) => unused.includes(nameOf(url)))
      assert.equal(latest.length, 1)
      await assertServed(service, avatar, ...latest)
      await assertGone(service, ...urls.filter((url) => !latest.includes(url)))
    })

    it('of one account and changes of its avatar, no more than the avatar and one other are left', async () => {
      const person = await someone(service)
      const first = await uploaded(service, person)
      const setAvatar = (avatar: string) => post(service, '/api/upload-avatar', { avatar }, { as: person })
      const changes = Array.from({ length: 4 }, () => [
        upload(service, person),
        setAvatar(first),
        upload(service, person),
        setAvatar('https://images.example.com/me.png'),
      ])
      for (const response of await Promise.all(changes.flat())) assertHandled(response, [200, 201])
      const { used, unused } = await picturesOf(service, person)
      const { avatar } = await ownProfile(service, person)
      assert.ok(unused.length <= 1)
      assert.ok(used.every((name) => name === nameOf(avatar)))
    })

    it('of an account that is deleted meanwhile, none is left', async () => {
      const person = await someone(service)
      const uploads = Array.from({ length: 6 }, () => upload(service, person))
      const deletion = del(service, '/api/delete-user', { password: PASSWORD }, { as: person })
      const late = Array.from({ length: 6 }, () => upload(service, person))
      assertSucceeded(await deletion)
      const responses = await Promise.all([...uploads, ...late])
      for (const response of responses) assertHandled(response, [201, 401])
      assert.deepEqual(await picturesOf(service, person), { used: [], unused: [] })
      await assertGone(service, ...responses.flatMap(({ body }) => body.data?.url ?? []))
    })

    it('of an account that is deleted before its picture is stored, none is stored', async (t: TestContext) => {
      const person = await someone(service)
      const { database } = service.portico
      const { transaction } = database
      const withdrawn: typeof transaction = async (work) => {
        await database.query.deleteFrom('users').where('id', '=', person.userId).execute()
        return transaction(work)
      }
      const { mock } = t.mock.method(database, 'transaction', withdrawn)
      assertRefused(await upload(service, person), 401)
      assert.equal(mock.callCount(), 1)
      assert.deepEqual(await picturesOf(service, person), { used: [], unused: [] })
    })

    describe('by very many users', () => {
      const MANY = 48
      let file: Buffer
      before(async () => {
        file = await largePicture()
      })

      it('none delays other requests, and those above the limit get 503', async () => {
        const people = await crowd(service, MANY)
        const other = await someone(service)
        let settled = 0
        const uploads = people.map((person) =>
          upload(service, person, file).finally(() => {
            settled += 1
          }),
        )
        for (let round = 0; round < 3; round++) {
          assertSucceeded(await get(service, '/api/user-details', { as: other }))
          assertSucceeded(await post(service, '/api/user-details', { bio: `round ${round}` }, { as: other }))
          assertSucceeded(await tryLogIn(service, other.email, other.password))
        }
        const waiting = MANY - settled
        const responses = await Promise.all(uploads)
        for (const response of responses) assertHandled(response, [201, 503])
        const { length: taken } = responses.filter(({ status }) => status === 201)
        for (const { status, headers } of responses) {
          if (status === 503) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
        }
        // If these requests had waited for the pictures, hardly any would have been left.
        assert.ok(waiting > 8, `${waiting} of ${MANY} were waiting`)
        assert.ok(taken >= 32 && taken < MANY, `${taken} were taken`)
        for (const [number, person] of people.entries()) {
          const { unused } = await picturesOf(service, person)
          assert.equal(unused.length, responses[number]?.status === 201 ? 1 : 0)
        }
        assertSucceeded(await upload(service, other), 201)
      })
    })
  })
})
