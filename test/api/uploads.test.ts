import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import sharp from 'sharp'
import { ownProfile, someone } from '../support/accounts.ts'
import { assertSucceeded, eventTypes, fetchPlain, type Person, post } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import {
  assertGone,
  assertServed,
  METADATA,
  nameOf,
  newAvatar,
  PICTURES,
  photograph,
  picturesOf,
  quartersOf,
  served,
  UPRIGHT,
  upload,
  uploaded,
} from '../support/pictures.ts'
import { ENGINES, onBothEngines, startOn, temporaryDatabase } from '../support/service.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** A square WebP of the test picture, without animation and without metadata. */
async function assertSquareWebp(webp: Buffer): Promise<void> {
  const { format, width, height, pages, exif, icc, iptc, xmp, orientation } = await sharp(webp).metadata()
  assert.deepEqual({ format, width, height }, { format: 'webp', width: 512, height: 512 })
  assert.deepEqual([pages, exif, icc, iptc, xmp, orientation], Array(6).fill(undefined))
  assert.deepEqual(await quartersOf(webp), UPRIGHT)
}

describe('an uploaded picture', () => {
  onBothEngines((service) => {
    let person: Person
    before(async () => {
      person = await someone(service)
    })

    for (const [what, make] of Object.entries(PICTURES)) {
      it(`becomes a square WebP when it is ${what}`, async () => {
        const file = await make()
        assert.deepEqual(await quartersOf(file), UPRIGHT)
        const { status, body } = await served(service, await uploaded(service, person, file))
        assert.equal(status, 200)
        await assertSquareWebp(body)
      })
    }

    it('is turned upright, and loses its position and all hidden data', async () => {
      const file = await photograph()
      assert.ok(METADATA.every((secret) => file.includes(secret)))
      assert.notDeepEqual(await quartersOf(file), UPRIGHT)
      const { body } = await served(service, await uploaded(service, person, file))
      await assertSquareWebp(body)
      assert.deepEqual(
        METADATA.filter((secret) => body.includes(secret)),
        [],
      )
    })

    it('keeps its transparency', async () => {
      const background = { r: 255, g: 0, b: 0, alpha: 0 }
      const file = await sharp({ create: { width: 30, height: 30, channels: 4, background } })
        .png()
        .toBuffer()
      const { body } = await served(service, await uploaded(service, person, file))
      assert.deepEqual([...(await sharp(body).raw().toBuffer()).subarray(3, 4)], [0])
    })

    it('gets a URL of its own under the address of the files, and the response has nothing else', async () => {
      const responses = [await upload(service, person), await upload(service, person)]
      const names = responses.map((response) => {
        assertSucceeded(response, 201)
        assert.deepEqual(Object.keys(response.body.data), ['url'])
        const [, name = ''] = /^http:\/\/localhost:3000\/uploads\/([^/]+)\.webp$/.exec(response.body.data.url) ?? []
        assert.match(name, UUID)
        return name
      })
      assert.notEqual(names[0], names[1])
    })

    it('changes neither the profile nor the security events by itself', async () => {
      const before = [await ownProfile(service, person), await eventTypes(service, person)]
      await uploaded(service, person)
      assert.deepEqual([await ownProfile(service, person), await eventTypes(service, person)], before)
    })

    it('becomes the avatar when its URL is sent to upload-avatar', async () => {
      const owner = await someone(service)
      const url = await newAvatar(service, owner)
      assert.equal((await ownProfile(service, owner)).avatar, url)
      assert.deepEqual(await picturesOf(service, owner), { used: [nameOf(url)], unused: [] })
      await assertServed(service, url)
    })

    it('is served to every client, cacheable without end, as a picture only', async () => {
      const url = await uploaded(service, person)
      const { status, headers, body } = await served(service, url)
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), 'image/webp')
      assert.equal(headers.get('content-length'), String(body.length))
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
      assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin')
      assert.match(headers.get('etag') ?? '', /^"[^"]+"$/)
      assert.equal(headers.get('set-cookie'), null)

      const head = await served(service, url, {}, 'HEAD')
      assert.equal(head.status, 200)
      assert.equal(head.body.length, 0)
      for (const name of ['content-type', 'content-length', 'cache-control', 'etag', 'content-security-policy']) {
        assert.equal(head.headers.get(name), headers.get(name), name)
      }
    })

    it('is served whatever query follows its path', async () => {
      const url = await uploaded(service, person)
      assert.equal((await served(service, `${url}?size=64`)).status, 200)
    })

    describe('in the cache of a browser', () => {
      let url: string
      let etag: string
      before(async () => {
        url = await uploaded(service, person)
        etag = (await served(service, url)).headers.get('etag') ?? ''
      })

      for (const [what, tags] of Object.entries<(tag: string) => string>({
        'its ETag': (tag) => tag,
        'its ETag, made weak by a proxy': (tag) => `W/${tag}`,
        'its ETag among others': (tag) => `"other", ${tag}`,
        'any ETag': () => '*',
      })) {
        it(`is not sent again to a client that sends ${what}`, async () => {
          const { status, headers, body } = await served(service, url, { 'if-none-match': tags(etag) })
          assert.equal(status, 304)
          assert.equal(body.length, 0)
          assert.equal(headers.get('etag'), etag)
          assert.match(headers.get('cache-control') ?? '', /immutable/)
        })
      }

      it('is sent to a client that has another version', async () => {
        const { status, body } = await served(service, url, { 'if-none-match': `"${randomUUID()}"` })
        assert.equal(status, 200)
        assert.ok(body.length > 0)
      })
    })

    it('is served at its own path only', async () => {
      const name = nameOf(await uploaded(service, person))
      const id = name.replace('.webp', '')
      const wrong = [`${randomUUID()}.webp`, id, `${id}.png`, `x${name}`, `${name}/`, `${name}.webp`, `..%2f${name}`]
      for (const path of [...wrong, '', ':file', '..%2f..%2fetc%2fpasswd', "'%20or%201=1", '%00.webp']) {
        const { status, headers } = await fetchPlain(service, `/uploads/${path}`)
        assert.equal(status, 404, path)
        assert.doesNotMatch(headers.get('cache-control') ?? '', /immutable/)
      }
    })
  })

  describe('on a file host of its own', () => {
    const settings = { UPLOAD_URL: 'https://files.example.net/pictures/', AVATAR_HOSTS: 'images.example.com' }
    onBothEngines((service) => {
      it('has its URL there, and is an avatar like any other', async () => {
        const person = await someone(service)
        const url = await newAvatar(service, person)
        assert.match(url, /^https:\/\/files\.example\.net\/pictures\/[\da-f-]{36}\.webp$/)
        assert.equal((await ownProfile(service, person)).avatar, url)
        assert.deepEqual(await picturesOf(service, person), { used: [nameOf(url)], unused: [] })
        await assertServed(service, url)
      })
    }, settings)
  })

  for (const engine of ENGINES) {
    it(`is served by every instance, and deleted from every instance, on ${engine}`, async (t) => {
      const env = await temporaryDatabase(t, engine)
      const one = await startOn(env)
      cleanUp(t, () => one.close())
      const other = await startOn(env)
      cleanUp(t, () => other.close())

      const person = await someone(one)
      const first = await newAvatar(one, person)
      assert.deepEqual((await served(other, first)).body, (await served(one, first)).body)
      const second = await uploaded(one, person)
      assertSucceeded(await post(other, '/api/upload-avatar', { avatar: second }, { as: person }))
      for (const instance of [one, other]) {
        await assertGone(instance, first)
        await assertServed(instance, second)
      }
    })
  }
})
