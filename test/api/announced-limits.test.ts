import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { type ApiResponse, call, get, newEmail, PASSWORD, post } from '../support/api.ts'
import { filePart, WIRE_FORM, wireForm } from '../support/hostile-input.ts'
import { signUpOwner } from '../support/owners.ts'
import { ANY_PICTURE } from '../support/pictures.ts'
import { assertLimited, failLogIn, from, LIMITED, newAddress, times } from '../support/rate-limits.ts'
import { onBothEngines } from '../support/service.ts'

/** The hits that are left of each limit in RateLimit. RateLimit-Policy has the same limits in the same order. */
function left({ headers }: ApiResponse): Record<string, number> {
  const namesIn = (header: string) =>
    headers
      .get(header)
      ?.split(', ')
      .map((item) => item.split(';')[0]) ?? []
  assert.deepEqual(namesIn('ratelimit'), namesIn('ratelimit-policy'))
  const items = [...(headers.get('ratelimit') ?? '').matchAll(/"([\w-]+)";r=(\d+);t=\d+/g)]
  return Object.fromEntries(items.map(([, name = '', remaining]) => [name, Number(remaining)]))
}

describe('the headers of a response state every limit that has counted the request', () => {
  onBothEngines((service) => {
    it('of a log-in: when it succeeds, when it is refused, and past the limit', async () => {
      const { email } = await someone(service)
      const here = from(newAddress())
      const expected = (login: number, calls: number) => ({ api: 100 - calls, login, password: 60 - calls })
      const succeeded = await post(service, '/api/log-in', { email, password: PASSWORD }, here)
      assert.equal(succeeded.status, 200)
      // What is left for the network is not stated: others have used it.
      assert.deepEqual(left(succeeded), expected(4, 1))
      const refused = await failLogIn(service, email, here)
      assert.equal(refused.status, 401)
      assert.equal(left(refused).login, 3)
      await times(3, () => failLogIn(service, email, here))
      const limited = await failLogIn(service, email, here)
      assertLimited(limited, 'login', 5, 60)
      assert.equal(left(limited).api, 94)
    })

    it('of a request for a reset code, alike for known and unknown addresses, without the limit of mails', async () => {
      const known = (await someone(service)).email
      const [places, here] = [[from(newAddress()), from(newAddress())], from(newAddress())]
      const headersOf = async (email: string, at: object) => {
        const { headers } = await post(service, '/api/forgot-password', { email }, at)
        return [headers.get('ratelimit-policy'), headers.get('ratelimit')]
      }
      const [one, other] = [await headersOf(known, places[0] ?? here), await headersOf(newEmail(), places[1] ?? here)]
      assert.equal(one[0], '"api";q=100;w=60, "reset";q=3;w=900')
      assert.match(one[1] ?? '', /^"api";r=99;t=\d+, "reset";r=2;t=\d+$/)
      assert.deepEqual(one, other)
    })

    it('of an upload and of a download', async () => {
      const as = await someone(service)
      const upload = (picture: typeof ANY_PICTURE) =>
        call(service, 'POST', '/api/uploads', wireForm(filePart(picture)), { as, headers: WIRE_FORM })
      const uploaded = await upload(ANY_PICTURE)
      assert.equal(uploaded.status, 201)
      assert.deepEqual(Object.keys(left(uploaded)), ['api', 'upload', 'megapixels'])
      assert.equal(left(uploaded).upload, 59)
      const empty = await call(service, 'POST', '/api/uploads', {}, { as })
      assert.equal(empty.status, 400)
      assert.deepEqual(Object.keys(left(empty)), ['api', 'upload'])
      assert.deepEqual(Object.keys(left(await get(service, '/api/user-data', { as }))), ['api', 'download'])
      await times(4, () => get(service, '/api/user-data', { as }))
      const limited = await get(service, '/api/user-data', { as })
      assertLimited(limited, 'download', 5, 3600)
      assert.deepEqual(Object.keys(left(limited)), ['api', 'download'])
    })

    it('of the mails of owners, with Retry-After past the limit', async () => {
      const as = await signUpOwner(service)
      const email = newEmail()
      const invited = await times(10, () => post(service, '/api/owner/invitations', { email }, { as }))
      assert.deepEqual(Object.keys(left(invited[0] as ApiResponse)), ['api', 'invitation', 'mail'])
      assert.deepEqual(
        invited.map((response) => left(response).mail),
        [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
      )
      assertLimited(await post(service, '/api/owner/invitations', { email }, { as }), 'mail', 10, 3600)
      const { userId } = await someone(service)
      const mailed = await times(11, () => post(service, '/api/owner/person/reset-mail', { userId }, { as }))
      assert.equal(mailed[9]?.status, 200)
      assertLimited(mailed[10] as ApiResponse, 'mail', 10, 3600)
      const tested = await times(6, () => post(service, '/api/owner/mails/test', {}, { as }))
      assert.deepEqual(left(tested[4] as ApiResponse).testmail, 0)
      assertLimited(tested[5] as ApiResponse, 'testmail', 5, 3600)
    })
  }, LIMITED)
})
