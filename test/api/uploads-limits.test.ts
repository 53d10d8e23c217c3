import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { everythingStored, someone } from '../support/accounts.ts'
import {
  assertHandled,
  assertRefused,
  assertSucceeded,
  type Credentials,
  fieldCodesOf,
  fieldsOf,
  get,
  logIn,
  type Person,
  post,
} from '../support/api.ts'
import { forgedToken, inSeconds, unsignedToken } from '../support/forged-tokens.ts'
import { filePart, WIRE_FORM, wireForm } from '../support/hostile-input.ts'
import { assertProcessorTime } from '../support/measuring.ts'
import {
  ANY_PICTURE,
  assertServed,
  bomb,
  nameOf,
  pictureOf,
  picturesOf,
  quarters,
  sendForm,
  UPRIGHT,
  upload,
  uploaded,
} from '../support/pictures.ts'
import { assertLimited, from, LIMITED, newAddress, times } from '../support/rate-limits.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { onBothEngines } from '../support/service.ts'

const BYTES_PER_MB = 1024 * 1024
const headersOf = (as: Credentials) => [`Authorization: Bearer ${as.accessToken}`, `X-Session-Id: ${as.sessionId}`]

describe('the limits of uploads', () => {
  onBothEngines((service) => {
    let person: Person
    before(async () => {
      person = await someone(service)
    })

    it('admit a file of 5 MB, and none that is larger', async () => {
      const url = await uploaded(service, person, await pictureOf(5 * BYTES_PER_MB))
      await assertServed(service, url)
      for (const size of [5 * BYTES_PER_MB + 20_000, 8 * BYTES_PER_MB]) {
        assertRefused(await upload(service, person, await pictureOf(size)), 413)
      }
      assert.deepEqual(await picturesOf(service, person), { used: [], unused: [nameOf(url)] })
    })

    it('apply also without a Content-Length', async () => {
      const before = await picturesOf(service, person)
      const lines = ['Host: x', 'Connection: close', `Content-Type: ${WIRE_FORM['content-type']}`]
      const chunk = `100000\r\n${'x'.repeat(BYTES_PER_MB)}\r\n`
      const top = head('POST /api/uploads HTTP/1.1', ...lines, 'Transfer-Encoding: chunked', ...headersOf(person))
      assertRefused(await sendRaw(service, top, ...Array(6).fill(chunk)), 413)
      assert.deepEqual(await picturesOf(service, person), before)
    })

    it('leave those of other bodies unchanged', async () => {
      const bio = 'x'.repeat(200_000)
      assertRefused(await post(service, '/api/user-details', { bio }, { as: person }), 413)
      const form = wireForm(filePart(ANY_PICTURE))
      assertRefused(await post(service, '/api/user-details', form, { as: person, headers: WIRE_FORM }), 400)
    })

    it('prevent the decoding of a picture of more than 50 million pixels, however small its file', async () => {
      const file = bomb(16_000)
      assert.ok(file.length < 100_000)
      const before = await picturesOf(service, person)
      const memory = process.memoryUsage.rss()
      let most = memory
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage.rss())
      }, 2)
      const response = await upload(service, person, file).finally(() => clearInterval(watch))
      assertRefused(response, 400, 'Validation failed')
      assert.deepEqual(fieldsOf(response), { file: 'Picture must have at most 50 million pixels' })
      assert.deepEqual(fieldCodesOf(response), { file: 'too_large' })
      // Decoded it would need at least 256 MB.
      assert.ok(most - memory < 100 * BYTES_PER_MB, `${(most - memory) / BYTES_PER_MB} MB`)
      assert.deepEqual(await picturesOf(service, person), before)
    })

    for (const [what, parts] of [
      ['parts', Array(60_000).fill('Content-Disposition: form-data; name="a"; filename="a"\r\n\r\n')],
      ['lines before a part', [`${'X-A: b\r\n'.repeat(600_000)}Content-Disposition: form-data; name="a"\r\n\r\n`]],
      ['attributes of a part', [`Content-Disposition: form-data; name="a"${'; a=b'.repeat(900_000)}\r\n\r\n`]],
    ] as [string, string[]][]) {
      it(`prevent a body of very many ${what} from blocking the thread`, async () => {
        const form = wireForm(...parts, filePart(ANY_PICTURE))
        assert.ok(form.length < 5 * BYTES_PER_MB)
        const send = () => post(service, '/api/uploads', form, { as: person, headers: WIRE_FORM })
        await assertProcessorTime(300, async () => assertHandled(await send(), [201, 400, 413]))
      })
    }

    it('begin with the session: without one, nothing is stored', async () => {
      const other = await someone(service)
      const expired = await forgedToken(service, person, { claims: { exp: inSeconds(-1) } })
      const stored = await everythingStored(service)
      assertRefused(await sendForm(service, { file: ANY_PICTURE }), 401)
      for (const as of [
        { ...person, accessToken: expired },
        { ...person, accessToken: await unsignedToken(service, person, 'none') },
        { ...person, accessToken: 'x' },
        { ...person, sessionId: other.sessionId },
      ]) {
        for (const file of [ANY_PICTURE, await pictureOf(4 * BYTES_PER_MB)])
          assertRefused(await upload(service, as, file), 401)
      }
      assert.deepEqual(await everythingStored(service), stored)
    })

    it('let a client without a session get its response before the file has arrived', async () => {
      const lines = ['Host: x', `Content-Type: ${WIRE_FORM['content-type']}`, 'Content-Length: 5000000']
      assertRefused(await sendRaw(service, head('POST /api/uploads HTTP/1.1', ...lines, 'Connection: close')), 401)
    })
  })

  describe('of the rate', () => {
    const settings = { ...LIMITED, RATE_LIMIT_API: '3/1m' }
    onBothEngines((service) => {
      it('count uploads of a session like its other requests', async () => {
        const person = await someone(service)
        const urls = await times(2, () => uploaded(service, person))
        assertRefused(await upload(service, person, Buffer.from('no picture')), 400)
        assertLimited(await upload(service, person), 'api', 3, 60)
        assertLimited(await get(service, '/api/user-details', { as: person }), 'api', 3, 60)
        assert.deepEqual(await picturesOf(service, person), { used: [], unused: [nameOf(urls[1] ?? '')] })
        await assertServed(service, ...Array(5).fill(urls[1]))
      })

      it('count uploads without a session by address', async () => {
        const here = from(newAddress())
        await times(3, async () => assertRefused(await sendForm(service, { file: ANY_PICTURE }, here), 401))
        assertLimited(await sendForm(service, { file: ANY_PICTURE }, here), 'api', 3, 60)
      })
    }, settings)
  })

  describe('of a session', () => {
    onBothEngines(
      (service) => {
        it('admit this many uploads in an hour, and do not affect the other sessions', async () => {
          const person = await someone(service)
          const urls = await times(2, () => uploaded(service, person))
          assertRefused(await upload(service, person, Buffer.from('no picture')), 400)
          assertLimited(await upload(service, person), 'upload', 3, 3600)
          assert.deepEqual(await picturesOf(service, person), { used: [], unused: [nameOf(urls[1] ?? '')] })
          assertSucceeded(await upload(service, await logIn(service, person)), 201)
        })
      },
      { ...LIMITED, RATE_LIMIT_UPLOAD: '3/1h' },
    )
  })

  describe('of pixels', () => {
    onBothEngines(
      (service) => {
        it('count the pixels of an account, in all sessions, before anything is decoded', async () => {
          const person = await someone(service)
          const two = await quarters(UPRIGHT, { width: 1600, height: 1000 }).png().toBuffer()
          // The header is valid, and the data after it cannot be decoded.
          const broken = Buffer.concat([two.subarray(0, 1000), Buffer.alloc(100)])
          assertSucceeded(await upload(service, person, two), 201)
          assertRefused(await upload(service, person, broken), 400)
          assertLimited(await upload(service, person, broken), 'megapixels', 4, 3600)
          assertLimited(await upload(service, await logIn(service, person), ANY_PICTURE), 'megapixels', 4, 3600)
          assertSucceeded(await upload(service, await someone(service), two), 201)
          await service.advanceTime({ hours: 1 })
          assertSucceeded(await upload(service, person, ANY_PICTURE), 201)
        })
      },
      { ...LIMITED, RATE_LIMIT_MEGAPIXELS: '4/1h' },
    )
  })
})
