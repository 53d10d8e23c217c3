import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PASSWORD } from '../support/api.ts'
import { MEMBER_PATHS, PageVisitor, PUBLIC_PATHS, signUpOnPages } from '../support/page-visitor.ts'
import { onBothEngines } from '../support/service.ts'

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

    it('lead back to the page that required the log-in', async () => {
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

    it('are stored by no cache', async () => {
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

    it('show names as text, whatever they contain', async () => {
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
        token: '"><script>a</script>',
        return_to: '/"><script>',
      })
      for (const path of PUBLIC_PATHS) {
        assert.doesNotMatch((await new PageVisitor(service).get(`${path}?${query}`)).body, /<script>/, path)
      }
    })

    it('show no message of a forged cookie', async () => {
      const visitor = new PageVisitor(service)
      for (const notice of ['<script>', 'constructor', '__proto__', 'Your account is locked', 'toString']) {
        visitor.cookies.set('portico_notice', encodeURIComponent(notice))
        assert.doesNotMatch((await visitor.get('/log-in')).body, /role="status"/)
      }
    })
  })
})
