import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { logIn, PASSWORD, post, signUp } from '../support/api.ts'
import { onBothEngines } from '../support/on-both-engines.ts'
import { logInOnPages, MEMBER_PATHS, PageVisitor, PUBLIC_PATHS, signUpOnPages } from '../support/page-visitor.ts'
import { listSessions } from '../support/session-list.ts'

/** What browsers say of a form, and whether it may be believed. */
const FOREIGN: Record<string, Record<string, string>> = {
  'another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  'a sibling site': { origin: 'http://sub.localhost:3000', 'sec-fetch-site': 'same-site' },
  'another site, by an old browser': { origin: 'https://evil.example' },
  'a sandboxed frame': { origin: 'null', 'sec-fetch-site': 'cross-site' },
  'nowhere, by an old browser': { origin: 'null' },
  'a site that hides itself': { 'sec-fetch-site': 'cross-site' },
  'nobody who says so': {},
  'a site with our name in its own': { origin: 'http://localhost:3000.evil.example' },
  'our name as the user of another': { origin: 'http://localhost:3000@evil.example' },
  'another port': { origin: 'http://localhost:3001' },
  'the same host under another scheme': { origin: 'https://localhost:3000' },
}

const HOSTILE_RETURNS = [
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https:evil.example',
  'https://evil.example',
  'http://localhost:3000@evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  ' //evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '/%0d%0aSet-Cookie:a=b/../../\r\nX: y',
  './/evil.example',
  '',
]

describe('the account pages', () => {
  onBothEngines((service) => {
    for (const [who, headers] of Object.entries(FOREIGN)) {
      it(`do nothing for a form that comes from ${who}`, async () => {
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
          ['/account/delete', 'delete', { password: PASSWORD }],
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

    it('are sent a form by this site under its setting, too', async () => {
      const visitor = new PageVisitor(service)
      const answer = await visitor.submit(
        '/forgot-password',
        'forgot',
        { email: 'a@example.com' },
        { origin: 'http://localhost:3000' },
      )
      assert.equal(answer.status, 303)
    })

    it('take forms only, so that no script of another site can send anything else', async () => {
      const { visitor } = await signUpOnPages(service)
      const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
      for (const [type, body] of [
        ['text/plain', 'form=profile&firstName=Evil&lastName=Evil'],
        ['application/json', '{"form":"profile","firstName":"Evil","lastName":"Evil"}'],
      ] as const) {
        const response = await fetch(`${service.url}/account`, {
          method: 'POST',
          headers: { ...visitor.ownHeaders(), cookie, 'content-type': type },
          body,
        })
        assert.equal(response.status, 400, type)
      }
      assert.match((await visitor.get('/account')).body, /value="Grace"/)
    })

    it('read no file of a guest, nor one where no picture belongs', async () => {
      const { visitor } = await signUpOnPages(service)
      for (const [who, path] of [
        [new PageVisitor(service), '/log-in'],
        [new PageVisitor(service), '/account'],
        [visitor, '/account/security'],
      ] as const) {
        const { status } = await who.upload(path, 'avatar', Buffer.alloc(1024))
        assert.ok(status === 400 || status === 303, `${path} ${status}`)
      }
    })

    it('are not occupied by marks that are to be composed', async () => {
      const visitor = new PageVisitor(service)
      const password = `a${'\u0316\u0301'.repeat(5000)}`
      const before = process.cpuUsage()
      assert.equal((await visitor.submit('/log-in', 'log-in', { email: 'a@example.com', password })).status, 400)
      const answer = await post(service, '/api/log-in', {
        email: 'a@example.com',
        password: `a${'\u0316\u0301'.repeat(15_000)}`,
      })
      assert.equal(answer.status, 400)
      const { user } = process.cpuUsage(before)
      assert.ok(user < 500_000, `${user / 1000} ms`)
    })

    it('leave alone what a form does not have', async () => {
      const { visitor } = await signUpOnPages(service)
      const all = { firstName: 'Grace', lastName: 'Hopper', dob: '1906-12-09', 'location.city': 'Arlington' }
      await visitor.submit('/account', 'profile', all)
      await visitor.submit('/account', 'profile', { firstName: 'Grace', lastName: 'H' })
      const { body } = await visitor.get('/account')
      assert.match(body, /value="Arlington"/)
      assert.match(body, /value="1906-12-09"/)
    })

    it('take a session from no cookie that only looks like theirs', async () => {
      const [own, other] = [await signUpOnPages(service), await signUpOnPages(service)]
      const cookie = `\xA0portico_session=${other.visitor.cookies.get('portico_session')}; portico_session=${own.visitor.cookies.get('portico_session')}`
      const response = await fetch(`${service.url}/account`, { headers: { cookie } })
      assert.match(await response.text(), new RegExp(own.email))
    })

    for (const path of HOSTILE_RETURNS) {
      it(`lead to the account and not to ${JSON.stringify(path)} after logging in`, async () => {
        const { email } = await signUpOnPages(service)
        const visitor = new PageVisitor(service)
        const asked = await visitor.get(`/log-in?${new URLSearchParams({ return_to: path })}`)
        assert.match(asked.body, /name="return_to" value="\/account"/)
        const back = await visitor.submit('/log-in', 'log-in', { email, password: PASSWORD, return_to: path })
        assert.equal(back.location, '/account')
        const signedIn = await visitor.get(`/log-in?${new URLSearchParams({ return_to: path })}`)
        assert.equal(signedIn.location, '/account')
      })
    }

    it('lead back to where somebody was on their way to', async () => {
      const { email } = await signUpOnPages(service)
      const visitor = new PageVisitor(service)
      const { status, location } = await visitor.get('/account/security?x=1&y=%2F')
      assert.equal(status, 303)
      const asked = await visitor.get(location)
      const [, returnTo = ''] = /name="return_to" value="([^"]*)"/.exec(asked.body) ?? []
      const back = await visitor.submit('/log-in', 'log-in', {
        email,
        password: PASSWORD,
        return_to: returnTo.replaceAll('&amp;', '&'),
      })
      assert.equal(back.location, '/account/security?x=1&y=%2F')
    })

    it('begin a session of their own, whatever cookie a browser was given before', async () => {
      const attacker = await signUpOnPages(service)
      const { email } = await signUpOnPages(service)
      const victim = new PageVisitor(service)
      const planted = attacker.visitor.cookies.get('portico_session') ?? ''
      victim.cookies.set('portico_session', planted)
      assert.equal((await victim.submit('/log-in', 'log-in', { email, password: PASSWORD })).status, 303)
      assert.notEqual(victim.cookies.get('portico_session'), planted)
      assert.match((await victim.get('/account')).body, new RegExp(email))
      // What was planted leads into nobody's account any more, least of all into the victim's.
      assert.match((await attacker.visitor.get('/account')).location, /^\/log-in/)
      assert.equal(
        (await listSessions(service, await logIn(service, { email, password: PASSWORD }))).filter(
          ({ revokedAt }) => revokedAt === null,
        ).length,
        3,
      )
    })

    it('hold the session in a cookie that scripts cannot read and other sites do not send', async () => {
      const { email } = await signUpOnPages(service)
      const answer = await new PageVisitor(service).submit('/log-in', 'log-in', { email, password: PASSWORD })
      const [line = ''] = answer.headers.getSetCookie()
      assert.match(line, /^portico_session=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
      assert.doesNotMatch(answer.body + answer.location, /eyJ/)
    })

    it('show no token to anybody: not in a page, not in an address', async () => {
      const { visitor } = await signUpOnPages(service)
      for (const path of MEMBER_PATHS) {
        const { body } = await visitor.get(path)
        assert.doesNotMatch(body, /eyJ|accessToken|refreshToken/, path)
      }
    })

    it('do not take an API token for a cookie, nor a cookie for an API token', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const owner = await logIn(service, { email, password: PASSWORD })
      const other = new PageVisitor(service)
      for (const token of [owner.accessToken, owner.refreshToken, 'eyJhbGciOiJub25lIn0.e30.', 'x', '']) {
        other.cookies.set('portico_session', token)
        assert.match((await other.get('/account')).location, /^\/log-in/)
      }
      const cookie = visitor.cookies.get('portico_session') ?? ''
      const answer = await post(service, '/api/auth/logout', undefined, {
        as: { accessToken: cookie, sessionId: owner.sessionId },
      })
      assert.equal(answer.status, 401)
    })

    it('sign out at once where another device has revoked the session', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const other = await logInOnPages(service, email)
      await other.submit('/account/security', 'revoke-others')
      for (const path of MEMBER_PATHS) {
        const answer = await visitor.get(path)
        assert.equal(answer.location, `/log-in?${new URLSearchParams({ return_to: path })}`)
      }
      assert.ok(!visitor.cookies.has('portico_session'))
      assert.match((await visitor.get('/')).body, /Log in/)
    })

    it('refuse what a session that just ended sends, and ask to log in', async () => {
      const { visitor, email } = await signUpOnPages(service)
      await (await logInOnPages(service, email)).submit('/account/security', 'revoke-others')
      const answer = await visitor.submit('/account', 'profile', { firstName: 'X', lastName: 'Y' })
      assert.equal(answer.location, '/log-in?return_to=%2Faccount')
      const owner = await logInOnPages(service, email)
      assert.match((await owner.get('/account')).body, /value="Grace"/)
    })

    it('are kept by no cache', async () => {
      const { visitor } = await signUpOnPages(service)
      for (const path of MEMBER_PATHS) {
        const { headers, status } = await visitor.get(path)
        assert.equal(status, 200)
        assert.equal(headers.get('cache-control'), 'no-store', path)
        assert.equal(headers.get('etag'), null)
      }
      const guest = new PageVisitor(service)
      for (const path of [...PUBLIC_PATHS, ...MEMBER_PATHS]) {
        assert.equal((await guest.get(path)).headers.get('cache-control'), 'no-store', path)
      }
    })

    it('may not be framed, and run no script but their own', async () => {
      const { visitor } = await signUpOnPages(service)
      for (const path of [...MEMBER_PATHS, '/verify-email']) {
        const { headers, body } = await visitor.get(path)
        const policy = headers.get('content-security-policy') ?? ''
        assert.match(policy, /default-src 'none'/)
        assert.match(policy, /script-src 'self';/)
        assert.match(policy, /frame-ancestors 'none'/)
        assert.doesNotMatch(policy, /unsafe|\*/)
        assert.doesNotMatch(body, /<script(?! type="module" src="\/assets\/)|\son\w+=|style="/i)
      }
    })

    it('show names as text, whatever is in them', async () => {
      const hostile = { firstName: '"><img src=x onerror=a>', lastName: '</title><script>a</script>' }
      const { visitor } = await signUpOnPages(service, hostile)
      await visitor.submit('/account', 'profile', {
        ...hostile,
        bio: '</textarea><script>a</script>',
        'socialAccounts.0.provider': '<svg onload=a>',
        'socialAccounts.0.url': 'https://example.com/',
      })
      for (const path of [...MEMBER_PATHS, '/', '/blog']) {
        const { body, status } = await visitor.get(path)
        assert.equal(status, 200)
        assert.doesNotMatch(body, /<script>|<img src=x|<svg onload/, path)
      }
      const query = new URLSearchParams({
        email: '"><script>a</script>',
        code: '"><script>a</script>',
        return_to: '/"><script>',
      })
      for (const path of PUBLIC_PATHS) {
        assert.doesNotMatch((await new PageVisitor(service).get(`${path}?${query}`)).body, /<script>/, path)
      }
    })

    it('say nothing that a cookie made up', async () => {
      const visitor = new PageVisitor(service)
      for (const notice of ['<script>', 'constructor', '__proto__', 'Your account is locked', 'toString']) {
        visitor.cookies.set('portico_notice', encodeURIComponent(notice))
        assert.doesNotMatch((await visitor.get('/log-in')).body, /role="status"/)
      }
    })
  })
})

describe('the account pages on https', () => {
  onBothEngines(
    (service) => {
      it('hold the session in a cookie that is bound to this host', async () => {
        const visitor = new PageVisitor(service)
        const { email } = await signUp(service)
        const answer = await visitor.submit(
          '/log-in',
          'log-in',
          { email, password: PASSWORD },
          { origin: 'https://site.example' },
        )
        const [line = ''] = answer.headers.getSetCookie()
        assert.match(line, /^__Host-portico_session=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
        assert.doesNotMatch(line, /Domain/)
        assert.match(answer.headers.get('strict-transport-security') ?? '', /max-age=/)
      })
    },
    { BASE_URL: 'https://site.example' },
  )
})
