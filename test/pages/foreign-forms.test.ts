import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PASSWORD, post } from '../support/api.ts'
import { assertProcessorTime } from '../support/measuring.ts'
import { PageVisitor, signUpOnPages } from '../support/page-visitor.ts'
import { onBothEngines } from '../support/service.ts'

/** Headers of browsers with a form, and whether the form is accepted. */
const FOREIGN: Record<string, Record<string, string>> = {
  'another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  'a sibling site': { origin: 'http://sub.localhost:3000', 'sec-fetch-site': 'same-site' },
  'another site, by an old browser': { origin: 'https://evil.example' },
  'a sandboxed frame': { origin: 'null', 'sec-fetch-site': 'cross-site' },
  'nowhere, by an old browser': { origin: 'null' },
  'another site without an Origin': { 'sec-fetch-site': 'cross-site' },
  'a client without any of these headers': {},
  'a site with our name in its own': { origin: 'http://localhost:3000.evil.example' },
  'our name as the user of another': { origin: 'http://localhost:3000@evil.example' },
  'another port': { origin: 'http://localhost:3001' },
  'the same host under another scheme': { origin: 'https://localhost:3000' },
}

describe('the forms of the account pages', () => {
  onBothEngines((service) => {
    for (const [sender, headers] of Object.entries(FOREIGN)) {
      it(`change nothing when they are sent from ${sender}`, async () => {
        const { visitor, email } = await signUpOnPages(service)
        const forge = async (path: string, form: string, fields: Record<string, string>) => {
          const body = new URLSearchParams({ form, ...fields })
          const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
          return fetch(service.url + path, {
            method: 'POST',
            body,
            redirect: 'manual',
            headers: { ...headers, cookie },
          })
        }
        for (const [path, form, fields] of [
          ['/account/data', 'delete', { password: PASSWORD }],
          ['/account', 'profile', { firstName: 'Evil', lastName: 'Evil' }],
          ['/account/security', 'revoke-others', {}],
          ['/log-in', 'log-in', { email, password: PASSWORD }],
          ['/log-out', '', {}],
        ] as const) {
          const response = await forge(path, form, fields)
          assert.equal(response.status, 403, path)
          assert.deepEqual(response.headers.getSetCookie(), [])
        }
        assert.match((await visitor.get('/account')).body, /value="Grace"/)
      })
    }

    it('are accepted from the configured address of this site, too', async () => {
      const visitor = new PageVisitor(service)
      const response = await visitor.submit(
        '/forgot-password',
        'forgot',
        { email: 'a@example.com' },
        { origin: 'http://localhost:3000' },
      )
      assert.equal(response.status, 303)
    })

    it('accept form bodies only, so that no script of another site can send any other', async () => {
      const { visitor } = await signUpOnPages(service)
      const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
      for (const [type, body] of [
        ['text/plain', 'form=profile&firstName=Evil&lastName=Evil'],
        ['application/json', '{"form":"profile","firstName":"Evil","lastName":"Evil"}'],
      ] as const) {
        const headers = { ...visitor.ownHeaders(), cookie, 'content-type': type }
        const response = await post(service, '/account', body, { headers })
        assert.equal(response.status, 400, type)
      }
      assert.match((await visitor.get('/account')).body, /value="Grace"/)
    })

    it('read no file of a signed-out browser, nor one in a field without pictures', async () => {
      const { visitor } = await signUpOnPages(service)
      for (const [sender, path] of [
        [new PageVisitor(service), '/log-in'],
        [new PageVisitor(service), '/account'],
        [visitor, '/account/security'],
      ] as const) {
        const { status } = await sender.upload(path, 'avatar', Buffer.alloc(1024))
        assert.ok(status === 400 || status === 303, `${path} ${status}`)
      }
    })

    it('normalise combining characters without blocking the thread', async () => {
      const visitor = new PageVisitor(service)
      const password = `a${'\u0316\u0301'.repeat(5000)}`
      await assertProcessorTime(500, async () => {
        assert.equal((await visitor.submit('/log-in', 'log-in', { email: 'a@example.com', password })).status, 400)
        const response = await post(service, '/api/log-in', {
          email: 'a@example.com',
          password: `a${'\u0316\u0301'.repeat(15_000)}`,
        })
        assert.equal(response.status, 400)
      })
    })

    it('do not change fields that a form does not have', async () => {
      const { visitor } = await signUpOnPages(service)
      const all = { firstName: 'Grace', lastName: 'Hopper', dob: '1906-12-09', 'location.city': 'Arlington' }
      await visitor.submit('/account', 'profile', all)
      await visitor.submit('/account', 'profile', { firstName: 'Grace', lastName: 'H' })
      const { body } = await visitor.get('/account')
      assert.match(body, /value="Arlington"/)
      assert.match(body, /value="1906-12-09"/)
    })
  })
})
