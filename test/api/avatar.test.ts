import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { ownProfile } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, del, eventTypes, fieldsOf, type Person, post, signUp } from '../support/api.ts'
import { HARMLESS_URLS, HOSTILE_URLS } from '../support/hostile-input.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const PICTURE = 'https://images.example.com/grace.png'
const setAvatar = (service: Service, as: Person, avatar: unknown) =>
  post(service, '/api/upload-avatar', { avatar }, { as })

async function assertAvatarRefused(service: Service, person: Person, avatar: unknown) {
  const before = [await ownProfile(service, person), await eventTypes(service, person)]
  const response = await setAvatar(service, person, avatar)
  assertRefused(response, 400, 'Validation failed')
  assert.deepEqual(Object.keys(fieldsOf(response)), ['avatar'])
  assert.deepEqual([await ownProfile(service, person), await eventTypes(service, person)], before)
}

describe('upload-avatar', () => {
  onBothEngines((service) => {
    const remove = (as: Person) => del(service, '/api/upload-avatar', undefined, { as })

    it('sets, replaces and removes the avatar, and nothing else', async () => {
      const person = await signUp(service)
      const profile = await ownProfile(service, person)
      for (const avatar of [PICTURE, 'http://example.org/2.png']) {
        const response = await setAvatar(service, person, avatar)
        assertSucceeded(response)
        assert.deepEqual(response.body.data, { avatar })
        assert.deepEqual(await ownProfile(service, person), { ...profile, avatar })
      }
      const response = await remove(person)
      assertSucceeded(response)
      assert.ok(!('data' in response.body))
      assert.deepEqual(await ownProfile(service, person), profile)
      assert.deepEqual((await eventTypes(service, person)).slice(0, 3), ['avatar.removed', 'avatar.set', 'avatar.set'])
    })

    it('succeeds when there is no avatar to remove', async () => {
      const person = await signUp(service)
      assertSucceeded(await remove(person))
      assertSucceeded(await remove(person))
      assert.equal((await ownProfile(service, person)).avatar, '')
    })

    it("does not change other users' avatars", async () => {
      const [person, other] = [await signUp(service), await signUp(service)]
      await setAvatar(service, other, PICTURE)
      await setAvatar(service, person, 'https://example.org/2.png')
      await remove(person)
      assert.equal((await ownProfile(service, other)).avatar, PICTURE)
    })

    describe('an existing avatar', () => {
      let person: Person
      before(async () => {
        person = await signUp(service)
        await setAvatar(service, person, PICTURE)
      })

      for (const url of HOSTILE_URLS) {
        it(`stays when the new one is ${JSON.stringify(url)}`, () => assertAvatarRefused(service, person, url))
      }
      for (const value of [undefined, null, 7, [PICTURE], { url: PICTURE }]) {
        it(`stays when the new one is ${JSON.stringify(value) ?? 'missing'}`, () =>
          assertAvatarRefused(service, person, value))
      }
      it('stays when the new one has 2049 characters', () =>
        assertAvatarRefused(service, person, `${HARMLESS_URLS.at(-1)}a`))

      for (const url of HARMLESS_URLS) {
        it(`is replaced by ${url.slice(0, 60)}`, async () => {
          assertSucceeded(await setAvatar(service, person, url))
          assert.equal((await ownProfile(service, person)).avatar, url)
        })
      }
    })
  })

  describe('with a list of hosts', () => {
    const settings = {
      AVATAR_HOSTS: 'images.example.com, CDN.Example.org',
      UPLOAD_URL: 'https://files.example.net/uploads',
    }
    onBothEngines((service) => {
      let person: Person
      before(async () => {
        person = await signUp(service)
      })

      for (const url of [
        PICTURE,
        'https://IMAGES.example.com/grace.png',
        'https://cdn.example.org/grace.png',
        'https://files.example.net/uploads/grace.png',
      ]) {
        it(`accepts ${url}`, async () => {
          assertSucceeded(await setAvatar(service, person, url))
          assert.equal((await ownProfile(service, person)).avatar, url)
        })
      }

      for (const url of [
        'https://example.com/grace.png',
        'https://evil.example/images.example.com/grace.png',
        'https://images.example.com.evil.example/grace.png',
        'https://images.example.com@evil.example/grace.png',
        'https://evil.example?images.example.com',
        'https://evil.example#@images.example.com',
        'https://notimages.example.com/grace.png',
        'javascript://images.example.com/%0aalert(1)',
      ]) {
        it(`refuses ${url}`, () => assertAvatarRefused(service, person, url))
      }
    }, settings)
  })
})
