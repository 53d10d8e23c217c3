import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listSessions } from '../support/accounts.ts'
import { get, logIn, PASSWORD, post, signUp } from '../support/api.ts'
import { logInOnPages, MEMBER_PATHS, PageVisitor, signUpOnPages } from '../support/page-visitor.ts'
import { onBothEngines } from '../support/service.ts'

describe('the session of a browser on the account pages', () => {
  onBothEngines((service) => {
    it('is read from no cookie with a similar name', async () => {
      const [own, other] = [await signUpOnPages(service), await signUpOnPages(service)]
      const cookie = `\xA0portico_session=${other.visitor.cookies.get('portico_session')}; portico_session=${own.visitor.cookies.get('portico_session')}`
      const { body } = await get(service, '/account', { headers: { cookie } })
      assert.match(body, new RegExp(own.email))
    })

    it('is a new one after a log-in, whatever cookie a browser was given before', async () => {
      const attacker = await signUpOnPages(service)
      const { email } = await signUpOnPages(service)
      const victim = new PageVisitor(service)
      const planted = attacker.visitor.cookies.get('portico_session') ?? ''
      victim.cookies.set('portico_session', planted)
      assert.equal((await victim.submit('/log-in', 'log-in', { email, password: PASSWORD })).status, 303)
      assert.notEqual(victim.cookies.get('portico_session'), planted)
      assert.match((await victim.get('/account')).body, new RegExp(email))
      // The planted cookie is invalid: it gives no access to the victim's account or any other.
      assert.match((await attacker.visitor.get('/account')).location, /^\/log-in/)
      assert.equal(
        (await listSessions(service, await logIn(service, { email, password: PASSWORD }))).filter(
          ({ revokedAt }) => revokedAt === null,
        ).length,
        3,
      )
    })

    it('is in a cookie that scripts cannot read and other sites do not send', async () => {
      const { email } = await signUpOnPages(service)
      const response = await new PageVisitor(service).submit('/log-in', 'log-in', { email, password: PASSWORD })
      const [line = ''] = response.headers.getSetCookie()
      assert.match(line, /^portico_session=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
      assert.doesNotMatch(response.body + response.location, /eyJ/)
    })

    it('shows no token: not in a page, not in a URL', async () => {
      const { visitor } = await signUpOnPages(service)
      for (const path of MEMBER_PATHS) {
        const { body } = await visitor.get(path)
        assert.doesNotMatch(body, /eyJ|accessToken|refreshToken/, path)
      }
    })

    it('accepts no API token as a cookie, nor a cookie as an API token', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const owner = await logIn(service, { email, password: PASSWORD })
      const other = new PageVisitor(service)
      for (const token of [owner.accessToken, owner.refreshToken, 'eyJhbGciOiJub25lIn0.e30.', 'x', '']) {
        other.cookies.set('portico_session', token)
        assert.match((await other.get('/account')).location, /^\/log-in/)
      }
      const cookie = visitor.cookies.get('portico_session') ?? ''
      const response = await post(service, '/api/auth/logout', undefined, {
        as: { accessToken: cookie, sessionId: owner.sessionId },
      })
      assert.equal(response.status, 401)
    })

    it('ends at once when another device has revoked it', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const other = await logInOnPages(service, email)
      await other.submit('/account/security', 'revoke-others')
      for (const path of MEMBER_PATHS) {
        const response = await visitor.get(path)
        assert.equal(response.location, `/log-in?${new URLSearchParams({ return_to: path })}`)
      }
      assert.match((await visitor.get('/')).body, /Log in/)
    })

    it('that has just ended is refused, and the page leads to the log-in', async () => {
      const { visitor, email } = await signUpOnPages(service)
      await (await logInOnPages(service, email)).submit('/account/security', 'revoke-others')
      const response = await visitor.submit('/account', 'profile', { firstName: 'X', lastName: 'Y' })
      assert.equal(response.location, '/log-in?return_to=%2Faccount')
      const owner = await logInOnPages(service, email)
      assert.match((await owner.get('/account')).body, /value="Grace"/)
    })
  })
})

describe('the account pages on https', () => {
  onBothEngines(
    (service) => {
      it('keep the session in a cookie that is bound to this host', async () => {
        const visitor = new PageVisitor(service)
        const { email } = await signUp(service)
        const response = await visitor.submit(
          '/log-in',
          'log-in',
          { email, password: PASSWORD },
          { origin: 'https://site.example' },
        )
        const [line = ''] = response.headers.getSetCookie()
        assert.match(line, /^__Host-portico_session=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
        assert.doesNotMatch(line, /Domain/)
        assert.match(response.headers.get('strict-transport-security') ?? '', /max-age=/)
      })
    },
    { BASE_URL: 'https://site.example' },
  )
})
