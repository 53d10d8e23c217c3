import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import { ownProfile, someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, del, PASSWORD, type Person, post } from '../support/api.ts'
import { assertGone, assertServed, nameOf, newAvatar, picturesOf, uploaded } from '../support/pictures.ts'
import { onBothEngines } from '../support/service.ts'

describe('of the pictures that an account uploads', () => {
  onBothEngines((service) => {
    const setAvatar = async (as: Person, avatar: string) =>
      assertSucceeded(await post(service, '/api/upload-avatar', { avatar }, { as }))
    const kept = async (person: Person) => picturesOf(service, person)

    // Another user, who has an avatar and one more picture, and loses neither in the tests below.
    let bystander: Person
    let theirs: string[]
    before(async () => {
      bystander = await someone(service)
      theirs = [await newAvatar(service, bystander), await uploaded(service, bystander)]
    })
    async function assertBystanderUntouched(): Promise<void> {
      const [avatar = '', other = ''] = theirs
      assert.equal((await ownProfile(service, bystander)).avatar, avatar)
      assert.deepEqual(await kept(bystander), { used: [nameOf(avatar)], unused: [nameOf(other)] })
      await assertServed(service, avatar, other)
    }

    it('only the latest is kept while none is the avatar', async () => {
      const person = await someone(service)
      const first = await uploaded(service, person)
      const second = await uploaded(service, person)
      assert.deepEqual(await kept(person), { used: [], unused: [nameOf(second)] })
      await assertGone(service, first)
      await assertServed(service, second)
      await assertBystanderUntouched()
    })

    it('the avatar and the latest are kept', async () => {
      const person = await someone(service)
      const avatar = await newAvatar(service, person)
      const second = await uploaded(service, person)
      const third = await uploaded(service, person)
      assert.deepEqual(await kept(person), { used: [nameOf(avatar)], unused: [nameOf(third)] })
      await assertGone(service, second)
      await assertServed(service, avatar, third)
      await assertBystanderUntouched()
    })

    it('the avatar is deleted when another replaces it', async () => {
      const person = await someone(service)
      const first = await newAvatar(service, person)
      const second = await newAvatar(service, person)
      assert.deepEqual(await kept(person), { used: [nameOf(second)], unused: [] })
      await assertGone(service, first)
      await assertServed(service, second)
      await assertBystanderUntouched()
    })

    it('none is kept when the avatar is an external URL', async () => {
      const person = await someone(service)
      const urls = [await newAvatar(service, person), await uploaded(service, person)]
      await setAvatar(person, 'https://images.example.com/me.webp')
      assert.deepEqual(await kept(person), { used: [], unused: [] })
      await assertGone(service, ...urls)
      await assertBystanderUntouched()
    })

    it('none is kept when the avatar is removed', async () => {
      const person = await someone(service)
      const urls = [await newAvatar(service, person), await uploaded(service, person)]
      assertSucceeded(await del(service, '/api/upload-avatar', undefined, { as: person }))
      assert.deepEqual(await kept(person), { used: [], unused: [] })
      await assertGone(service, ...urls)
      await assertBystanderUntouched()
    })

    it('none is kept when the account is deleted', async () => {
      const person = await someone(service)
      const urls = [await newAvatar(service, person), await uploaded(service, person)]
      assertRefused(await del(service, '/api/delete-user', { password: 'Wrong-Horse-7' }, { as: person }), 400)
      await assertServed(service, ...urls)
      assertSucceeded(await del(service, '/api/delete-user', { password: PASSWORD }, { as: person }))
      assert.deepEqual(await kept(person), { used: [], unused: [] })
      await assertGone(service, ...urls)
      await assertBystanderUntouched()
    })

    it('all stay through requests that do not change the avatar, and through a refused avatar', async () => {
      const person = await someone(service)
      const urls = [await newAvatar(service, person), await uploaded(service, person)]
      assertSucceeded(await post(service, '/api/user-details', { bio: 'New', avatar: '' }, { as: person }))
      assertRefused(await post(service, '/api/upload-avatar', { avatar: 'javascript:1' }, { as: person }), 400)
      await assertServed(service, ...urls)
      assert.equal((await ownProfile(service, person)).avatar, urls[0])
    })

    it('the avatar stays when it is set once more', async () => {
      const person = await someone(service)
      const avatar = await newAvatar(service, person)
      await setAvatar(person, avatar)
      assert.deepEqual(await kept(person), { used: [nameOf(avatar)], unused: [] })
      await assertServed(service, avatar)
    })

    it('the avatar stays when it is set with a query after its path', async () => {
      const person = await someone(service)
      const avatar = await newAvatar(service, person)
      await setAvatar(person, `${avatar}?v=2`)
      assert.deepEqual(await kept(person), { used: [nameOf(avatar)], unused: [] })
      await assertServed(service, avatar)
    })

    it('none can be taken, used up or removed by another user who names its URL', async () => {
      const owner = await someone(service)
      const urls = [await newAvatar(service, owner), await uploaded(service, owner)]
      const before = await kept(owner)
      const otherUser = await someone(service)
      for (const url of urls) await setAvatar(otherUser, url)
      assertSucceeded(await del(service, '/api/upload-avatar', undefined, { as: otherUser }))
      assert.deepEqual(await kept(owner), before)
      assert.deepEqual(await kept(otherUser), { used: [], unused: [] })
      await assertServed(service, ...urls)
      await setAvatar(otherUser, urls[0] ?? '')
      assertSucceeded(await del(service, '/api/delete-user', { password: PASSWORD }, { as: otherUser }))
      await assertServed(service, ...urls)
    })

    it('an unused one is deleted after a day, and the avatar stays', async () => {
      const person = await someone(service)
      const avatar = await newAvatar(service, person)
      const unused = await uploaded(service, person)
      await service.advanceTime({ hours: 23, minutes: 59 })
      await deleteExpiredRows(service.portico.database)
      assert.deepEqual(await kept(person), { used: [nameOf(avatar)], unused: [nameOf(unused)] })
      await assertServed(service, avatar, unused)

      await service.advanceTime({ minutes: 2 })
      await deleteExpiredRows(service.portico.database)
      assert.deepEqual(await kept(person), { used: [nameOf(avatar)], unused: [] })
      await assertGone(service, unused)
      await service.advanceTime({ days: 20 })
      await deleteExpiredRows(service.portico.database)
      await assertServed(service, avatar)
      assert.equal((await ownProfile(service, person)).avatar, avatar)
    })

    it('one that was used within the day stays', async () => {
      const person = await someone(service)
      const url = await uploaded(service, person)
      await service.advanceTime({ hours: 23, minutes: 59 })
      await setAvatar(person, url)
      await service.advanceTime({ days: 2 })
      await deleteExpiredRows(service.portico.database)
      await assertServed(service, url)
    })
  })
})
