import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get, logIn, PASSWORD, post } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { logInOnPages, MEMBER_PATHS, PageVisitor, PUBLIC_PATHS, signUpOnPages } from '../support/page-visitor.ts'
import { onBothEngines, type Service, startService } from '../support/service.ts'

const SITE_PATHS = ['/', '/blog', '/docs', '/docs/account-api', '/nowhere']
const htmlTag = (body: string) => /<html[^>]*>/.exec(body)?.[0] ?? ''

describe('every page of the site', () => {
  onBothEngines((service) => {
    it('shows who is signed in, and offers to log out', async () => {
      const { visitor } = await signUpOnPages(service, { firstName: 'Katherine' })
      const guest = new PageVisitor(service)
      for (const path of [...SITE_PATHS, ...MEMBER_PATHS]) {
        const { body } = await visitor.get(path)
        assert.match(body, /<button class="account-button"[^>]*>.*<span dir="auto">Katherine<\/span>.*<\/button>/, path)
        assert.match(body, /<a href="\/account"[^>]*>Profile<\/a>/, path)
        assert.match(body, /<form method="post" action="\/log-out">/, path)
      }
      for (const path of [...SITE_PATHS, ...PUBLIC_PATHS]) {
        const { body } = await guest.get(path)
        assert.match(body, /<a [^>]*href="\/log-in"[^>]*>Log in<\/a>/, path)
        assert.doesNotMatch(body, /Katherine|\/log-out/, path)
      }
    })

    it('loads a picture of another site on the profile page alone', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const avatar = 'https://pictures.example/me.png'
      await service.portico.database.query.updateTable('users').set({ avatar }).where('email', '=', email).execute()
      for (const path of [...SITE_PATHS, ...MEMBER_PATHS]) {
        const { body } = await visitor.get(path)
        const shown = body.split(avatar).length - 1
        assert.equal(shown, path === '/account' ? 1 : 0, path)
      }
    })

    it('has the theme and font that its reader chose, from the server', async () => {
      const { visitor, email } = await signUpOnPages(service)
      assert.doesNotMatch(htmlTag((await visitor.get('/')).body), /data-/)
      const saved = await visitor.submit('/account/appearance', 'preferences', { theme: 'dark', font: 'mono' })
      assert.equal(saved.status, 303)
      for (const path of [...SITE_PATHS, ...MEMBER_PATHS]) {
        assert.match(htmlTag((await visitor.get(path)).body), / data-theme="dark" data-font="mono"/, path)
      }
      const elsewhere = await logInOnPages(service, email)
      assert.match(htmlTag((await elsewhere.get('/')).body), /data-theme="dark"/)
      assert.doesNotMatch(htmlTag((await new PageVisitor(service).get('/')).body), /data-/)
    })

    it('has the default theme and font when the preferences have unknown values', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const as = await logIn(service, { email, password: PASSWORD })
      await post(service, '/api/user-details', { preferences: { theme: 'solarized', font: 'comic' } }, { as })
      assert.doesNotMatch(htmlTag((await visitor.get('/')).body), /data-/)
    })

    it('is stored by no cache when it was rendered for a user, and never served to another', async () => {
      const { visitor } = await signUpOnPages(service)
      const own = await visitor.get('/')
      assert.equal(own.headers.get('cache-control'), 'private, no-store')
      assert.equal(own.headers.get('etag'), null)
      const publicPage = await new PageVisitor(service).get('/')
      assert.match(publicPage.headers.get('cache-control') ?? '', /^public/)
      for (const { headers } of [own, publicPage]) assert.match(headers.get('vary') ?? '', /Accept, Cookie/)
      // A response that the browser cached before it was signed in must not be reused for its own page.
      const etag = publicPage.headers.get('etag') ?? ''
      assert.equal((await visitor.get('/', { 'if-none-match': etag })).status, 200)
      assert.equal((await new PageVisitor(service).get('/', { 'if-none-match': etag })).status, 304)
    })

    it('is the public page for a browser with an invalid cookie', async () => {
      const visitor = new PageVisitor(service)
      visitor.cookies.set('portico_session', 'worth-nothing')
      const { status, body } = await visitor.get('/')
      assert.equal(status, 200)
      assert.match(body, /Log in/)
    })
  })
})

describe('a browser with occasional visits', () => {
  onBothEngines((service) => {
    it('stays signed in: its 30 days begin anew once a day', async (t) => {
      const { visitor } = await signUpOnPages(service)
      await visitor.get('/account')
      const first = visitor.cookies.get('portico_session')
      assert.deepEqual((await visitor.get('/account')).headers.getSetCookie(), [])
      const begun = Date.now()
      for (const day of [7, 14, 21, 28, 35, 42]) {
        await service.advanceTime({ days: 7 })
        t.mock.timers.enable({ apis: ['Date'], now: begun + day * 86_400_000 })
        const { status, headers } = await visitor.get('/account')
        t.mock.timers.reset()
        assert.equal(status, 200)
        assert.match(headers.getSetCookie().join(), /^portico_session=/)
      }
      assert.notEqual(visitor.cookies.get('portico_session'), first)
    })

    it('is signed out after 30 days without a visit', async () => {
      const { visitor } = await signUpOnPages(service)
      await service.advanceTime({ days: 30 })
      assert.match((await visitor.get('/account')).location, /^\/log-in/)
    })
  })
})

describe('an account page as markdown', () => {
  onBothEngines((service) => {
    it('names no sign-in provider that is not configured', async () => {
      const { body } = await new PageVisitor(service).get('/log-in.md')
      assert.match(body, /\nLog in with e-mail and password or with a passkey\. /)
      assert.doesNotMatch(body, /oauth/)
    })

    for (const path of [...PUBLIC_PATHS, ...MEMBER_PATHS]) {
      it(`describes at ${path} its purpose and the equivalent API calls`, async () => {
        const guest = new PageVisitor(service)
        const byAccept = await guest.get(path, { accept: 'text/markdown' })
        const byAddress = await guest.get(`${path}.md`)
        for (const { status, headers } of [byAccept, byAddress]) {
          assert.equal(status, 200)
          assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8')
        }
        assert.equal(byAccept.body, byAddress.body)
        assert.match(byAccept.headers.get('vary') ?? '', /Accept/)
        assert.match(byAccept.body, /^# /)
        assert.match(byAccept.body, new RegExp(`http://localhost:3000${path}\n`))
        const calls = [...byAccept.body.matchAll(/^- `(GET|POST|DELETE) (\/api\/[\w/-]+)`: ./gm)]
        assert.ok(calls.length > 0)
        const { body: api } = await get(service, '/api/openapi.json')
        for (const [, method = '', address = ''] of calls)
          assert.ok(api.paths[address]?.[method.toLowerCase()], address)
        const page = await guest.get(path)
        if (page.status === 200)
          assert.match(page.headers.get('link') ?? '', new RegExp(`${path}\\.md>; rel="alternate"`))
      })
    }
  })
})

describe('a password manager', () => {
  const service = {} as Service
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(service, await startService('sqlite'))
    cleanUp(suite, () => service.close())
  })

  it('finds the page where the password is changed', async () => {
    const { status, location } = await new PageVisitor(service).get('/.well-known/change-password')
    assert.equal(status, 302)
    assert.equal(location, '/account/security?open=password#password')
    const { visitor } = await signUpOnPages(service)
    const [folded, unfolded] = [
      /<details>\n<summary>Change the password</,
      /<details open>\n<summary>Change the password</,
    ]
    assert.match((await visitor.get('/account/security')).body, folded)
    const { body } = await visitor.get(location)
    assert.match(body, /id="password"/)
    assert.match(body, unfolded)
    const refused = await visitor.submit('/account/security', 'password', { currentPassword: 'Not-My-Password-1' })
    assert.match(refused.body, unfolded)
  })

  it('recognizes every field by its autocomplete attribute', async () => {
    const { visitor } = await signUpOnPages(service)
    const guest = new PageVisitor(service)
    const purposes = async (who: PageVisitor, path: string) =>
      [...(await who.get(path)).body.matchAll(/autocomplete="([^"]+)"/g)].map(([, purpose]) => purpose)
    assert.deepEqual(await purposes(guest, '/log-in'), ['username webauthn', 'current-password'])
    assert.deepEqual(await purposes(guest, '/sign-up'), [
      'given-name',
      'family-name',
      'username',
      'new-password',
      'new-password',
    ])
    assert.deepEqual(await purposes(guest, '/reset-password'), [
      'username',
      'one-time-code',
      'new-password',
      'new-password',
    ])
    assert.deepEqual(await purposes(visitor, '/account/security'), [
      'username',
      'current-password',
      'new-password',
      'new-password',
    ])
  })
})
