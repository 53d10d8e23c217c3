import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type ClientRequest, request } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { createLargeBodies } from '../../src/http/large-bodies.ts'
import type { Refusal } from '../../src/http/refusal.ts'
import { someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, type Credentials } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type PageVisitor, signUpOnPages } from '../support/page-visitor.ts'
import { pictureOf, upload } from '../support/pictures.ts'
import { assertLimited, LIMITED } from '../support/rate-limits.ts'
import { head, sendRaw } from '../support/raw-http.ts'
import { onBothEngines, type Service } from '../support/service.ts'

// Each reserves its size in memory until it is complete: 20 MiB for one account.
const MAX_UPLOADS_OF_ACCOUNT = 4
const UPLOAD_BYTES = 5_000_000

const apiHeaders = (as: Credentials) => ({
  authorization: `Bearer ${as.accessToken}`,
  'x-session-id': as.sessionId,
})

function pageHeaders({ url }: Service, { cookies }: PageVisitor) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return { cookie, origin: url, 'sec-fetch-site': 'same-origin' }
}

/** Begins uploads that never end. */
function unfinishedUploads(t: TestContext, service: Service) {
  const agent = new Agent()
  cleanUp(t, () => agent.destroy())
  /** The service reads the body when it sends 100 Continue (RFC 9110, section 10.1.1). Returns its status otherwise. */
  return async (path: string, headers: Record<string, string>): Promise<{ upload: ClientRequest; status: number }> => {
    const upload = request(service.url + path, {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': UPLOAD_BYTES,
        expect: '100-continue',
        ...headers,
      },
    })
    upload.on('error', () => {}).flushHeaders()
    const refused = once(upload, 'response').then(([{ statusCode }]) => statusCode as number)
    return { upload, status: await Promise.race([once(upload, 'continue').then(() => 100), refused]) }
  }
}

describe('uploads that never end', () => {
  onBothEngines((service) => {
    it('stop only those of the same account, until their clients disconnect', async (t) => {
      const [person, other] = [await someone(service), await someone(service)]
      const begin = unfinishedUploads(t, service)
      const picture = await pictureOf(UPLOAD_BYTES)
      const first = await begin('/api/uploads', apiHeaders(person))
      for (let number = 1; number < MAX_UPLOADS_OF_ACCOUNT; number++)
        assert.equal((await begin('/api/uploads', apiHeaders(person))).status, 100)
      const refused = await upload(service, person, picture)
      assertRefused(refused, 503)
      assert.equal(refused.headers.get('retry-after'), '5')
      assertSucceeded(await upload(service, person), 201)
      assertSucceeded(await upload(service, other, picture), 201)

      first.upload.destroy()
      // The service notices the closed connection a little later.
      let response = await upload(service, person, picture)
      for (let tries = 1; response.status === 503 && tries < 100; tries++)
        response = await upload(service, person, picture)
      assertSucceeded(response, 201)
    })

    it('stop only those of the same account on the page too', async (t) => {
      const { visitor } = await signUpOnPages(service)
      const begin = unfinishedUploads(t, service)
      const headers = pageHeaders(service, visitor)
      for (let number = 0; number < MAX_UPLOADS_OF_ACCOUNT; number++)
        assert.equal((await begin('/account', headers)).status, 100)
      assert.equal((await begin('/account', headers)).status, 503)
      const { visitor: other } = await signUpOnPages(service)
      assert.equal((await begin('/account', pageHeaders(service, other))).status, 100)
    })
  })

  onBothEngines(
    (service) => {
      it('are counted in the limit of uploads', async (t) => {
        const person = await someone(service)
        const begin = unfinishedUploads(t, service)
        for (let number = 0; number < 2; number++)
          assert.equal((await begin('/api/uploads', apiHeaders(person))).status, 100)
        assertLimited(await upload(service, person), 'upload', 2, 3600)
      })

      it('are counted in the limit of uploads on the page too', async (t) => {
        const { visitor } = await signUpOnPages(service)
        const begin = unfinishedUploads(t, service)
        const headers = pageHeaders(service, visitor)
        for (let number = 0; number < 2; number++) assert.equal((await begin('/account', headers)).status, 100)
        assert.equal((await begin('/account', headers)).status, 429)
      })

      it('are counted in the limit of uploads however their media type is written', async (t) => {
        const { visitor } = await signUpOnPages(service)
        const begin = unfinishedUploads(t, service)
        const typed = (type: string) => ({ ...pageHeaders(service, visitor), 'content-type': `${type}; boundary=x` })
        const headers = Object.entries(pageHeaders(service, visitor)).map(([name, value]) => `${name}: ${value}`)
        const picture = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\na\r\n--x--\r\n'
        // U+00A0 is no whitespace of HTTP (RFC 9110, section 5.6.3), so this is another media type.
        const type = 'Content-Type: \u00a0multipart/form-data; boundary=x'
        const lines = [`Host: ${new URL(service.url).host}`, 'Connection: close', ...headers, type]
        const message = head('POST /account HTTP/1.1', ...lines, `Content-Length: ${picture.length}`) + picture
        for (let number = 0; number < 3; number++) {
          const { status, body } = await sendRaw(service, Buffer.from(message, 'latin1'))
          assert.equal(status, 400)
          assert.match(body, /must be sent as/)
        }
        for (const type of ['\t Multipart/Form-Data \t', 'MULTIPART/FORM-DATA'])
          assert.equal((await begin('/account', typed(type))).status, 100, type)
        assert.equal((await begin('/account', typed('multipart/form-data '))).status, 429)
      })
    },
    { ...LIMITED, RATE_LIMIT_UPLOAD: '2/1h' },
  )
})

describe('the memory for uploads', () => {
  const LIMITS = { maxBytes: 100, maxBytesOfAddress: 60, maxBytesOfUser: 20 }

  it('is limited for an account, for an address and for all together', async () => {
    const reserve = createLargeBodies(LIMITS)
    const { promise, resolve } = Promise.withResolvers<string>()
    const begin = (bytes: number, address: string, userId: string) => reserve({ bytes, address, userId }, () => promise)
    const begun: Promise<string>[] = []
    const refused = (bytes: number, address: string, userId: string) =>
      assert.rejects(begin(bytes, address, userId), ({ status }: Refusal) => status === 503)

    begun.push(begin(10, 'here', 'a'), begin(10, 'there', 'a'))
    await refused(1, 'elsewhere', 'a')
    begun.push(begin(20, 'here', 'b'), begin(20, 'here', 'c'), begin(10, 'here', 'd'))
    await refused(1, 'here', 'e')
    begun.push(begin(20, 'there', 'e'), begin(10, 'there', 'f'))
    await refused(1, 'elsewhere', 'g')

    resolve('read')
    assert.deepEqual(new Set(await Promise.all(begun)), new Set(['read']))
    await Promise.all([begin(20, 'here', 'a'), begin(20, 'here', 'b'), begin(20, 'here', 'c')])
  })

  it('is limited for bodies without an account by their address only, and for all together', async () => {
    const reserve = createLargeBodies(LIMITS)
    const { promise, resolve } = Promise.withResolvers<string>()
    const begin = (bytes: number, address: string) => reserve({ bytes, address, userId: undefined }, () => promise)
    const refused = (bytes: number, address: string) =>
      assert.rejects(begin(bytes, address), ({ status }: Refusal) => status === 503)

    const begun = [begin(60, 'here'), begin(40, 'there')]
    await refused(1, 'here')
    await refused(1, 'there')
    resolve('read')
    assert.deepEqual(await Promise.all(begun), ['read', 'read'])
  })

  it('is free again after a body that could not be read', async () => {
    const reserve = createLargeBodies(LIMITS)
    const body = { bytes: 20, address: 'here', userId: 'a' }
    const fail = () => Promise.reject(new Error('gone'))
    for (let number = 0; number < 9; number++) await assert.rejects(reserve(body, fail), /gone/)
    assert.equal(await reserve(body, async () => 'read'), 'read')
  })
})
