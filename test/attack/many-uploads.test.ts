import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type ClientRequest, request } from 'node:http'
import { describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { upload } from '../support/pictures.ts'
import { onBothEngines } from '../support/service.ts'

// Each may be as large as an upload, and stays in memory until it is complete.
const MAX_UPLOADS_AT_ONCE = 32

describe('uploads that never end', () => {
  onBothEngines((service) => {
    it(`use the memory of ${MAX_UPLOADS_AT_ONCE} bodies at most, until their clients disconnect`, async (t) => {
      const person = await someone(service)
      const agent = new Agent()
      const unfinished: ClientRequest[] = []
      cleanUp(t, () => agent.destroy())

      /** The service has begun to read the body when it sends 100 Continue (RFC 9110, section 10.1.1). */
      async function begin(): Promise<void> {
        const upload = request(`${service.url}/api/uploads`, {
          method: 'POST',
          agent,
          headers: {
            authorization: `Bearer ${person.accessToken}`,
            'x-session-id': person.sessionId,
            'content-type': 'multipart/form-data; boundary=x',
            'content-length': 1_000_000,
            expect: '100-continue',
          },
        })
        upload.on('error', () => {}).flushHeaders()
        unfinished.push(upload)
        await once(upload, 'continue')
      }

      for (let number = 0; number < MAX_UPLOADS_AT_ONCE; number++) await begin()
      const refused = await upload(service, person)
      assertRefused(refused, 503)
      assert.equal(refused.headers.get('retry-after'), '5')

      unfinished[0]?.destroy()
      // The service notices the closed connection a little later.
      let response = await upload(service, person)
      for (let tries = 1; response.status === 503 && tries < 100; tries++) response = await upload(service, person)
      assertSucceeded(response, 201)
    })
  })
})
