import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAlive, assertEnded, countSessions, linkedProviders, someone, unlink } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  del,
  eventTypes,
  fieldsOf,
  mailsTo,
  newEmail,
  type Person,
  post,
} from '../support/api.ts'
import { logInOnPages, PageVisitor } from '../support/page-visitor.ts'
import { PROVIDER_NAMES, visitProvider, withProviders } from '../support/providers.ts'
import { ACCEPT_HTML, assertNoSignIn, cookiesOf, signedIn, signIn, visit } from '../support/sign-in-steps.ts'

const UNKNOWN = 'This sign-in is unknown, finished or expired: please start again'
const ELSEWHERE = 'This sign-in belongs to another account'

describe('connecting a provider with the own account', () => {
  withProviders((service, providers) => {
    const begin = (provider: unknown, as?: Person, more: object = {}) =>
      post(service, '/api/linked-accounts', { provider, ...more }, { as })

    for (const name of PROVIDER_NAMES) {
      /** Begins as a user, signs in at the provider as one of its users, and returns the callback. */
      async function connectCallback(as: Person, subject: string, more: object = {}) {
        const begun = await begin(name, as, more)
        assertSucceeded(begun)
        const callback = await visitProvider(begun.body.data.url, subject)
        return { callback, cookie: cookiesOf(begun.headers).join('; ') }
      }
      async function connect(as: Person, subject: string): Promise<ApiResponse> {
        const { callback, cookie } = await connectCallback(as, subject)
        return visit(service, callback, { cookie })
      }

      it(`links the ${name} whatever its e-mail address, begins no session, and notifies the owner`, async () => {
        const person = await someone(service)
        const subject = providers[name].people.admit()
        const response = await connect(person, subject)
        assertSucceeded(response)
        assert.equal(response.body.message, 'Account linked successfully')
        assert.ok(!('data' in response.body))
        assert.equal(await countSessions(service, person.userId), 1)
        assert.deepEqual(await linkedProviders(service, person), [name])
        assert.equal((await eventTypes(service, person))[0], 'sign-in.linked')
        const [mail] = await mailsTo(service, person.email)
        assert.equal(mail?.subject, `You can now sign in with ${new URL(providers[name].url).host} - Portico`)
        assert.equal((await signedIn(service, providers[name], subject)).userId, person.userId)
      })

      it(`links an unlinked ${name} again`, async () => {
        const person = await someone(service)
        const subject = providers[name].people.admit({ email: person.email })
        await signedIn(service, providers[name], subject)
        assertSucceeded(await unlink(service, name, person))
        assertRefused(await signIn(service, providers[name], subject), 403)
        assertSucceeded(await connect(person, subject))
        assert.equal((await signedIn(service, providers[name], subject)).userId, person.userId)
      })

      it(`does not link an unlinked ${name} to its former account, also after a deleted account had it`, async () => {
        const [owner, other] = [await someone(service), await someone(service)]
        const subject = providers[name].people.admit({ email: owner.email })
        await signedIn(service, providers[name], subject)
        assertSucceeded(await unlink(service, name, owner))
        assertSucceeded(await connect(other, subject))
        const { password } = other
        assertSucceeded(await del(service, '/api/delete-user', { password }, { as: other }))
        await assertNoSignIn(service, async () => {
          assertRefused(await signIn(service, providers[name], subject), 403)
        })
      })

      it(`ends the sessions that began through a ${name} when it is unlinked, and no others`, async () => {
        const person = await someone(service)
        const throughProvider = await signedIn(service, providers[name], providers[name].people.admit(person))
        assertSucceeded(await unlink(service, name, person))
        await assertEnded(service, throughProvider)
        await assertAlive(service, person)
      })

      it(`is refused when another user is signed in to the browser at the callback of the ${name}`, async () => {
        const [person, other] = [await someone(service), await someone(service)]
        const { callback, cookie } = await connectCallback(person, providers[name].people.admit())
        const visitor = await logInOnPages(service, other.email)
        const both = `${cookie}; portico_session=${visitor.cookies.get('portico_session')}`
        assertRefused(await visit(service, callback, { cookie: both }), 400, UNKNOWN)
        assert.deepEqual(await linkedProviders(service, person), [])
      })

      it(`changes nothing when the ${name} is connected already`, async () => {
        const person = await someone(service)
        const subject = providers[name].people.admit()
        assertSucceeded(await connect(person, subject))
        const before = await eventTypes(service, person)
        assertSucceeded(await connect(person, subject))
        assert.deepEqual(await eventTypes(service, person), before)
      })

      it(`is refused when the ${name} signs in to another account`, async () => {
        const subject = providers[name].people.admit()
        const owner = await signedIn(service, providers[name], subject)
        const other = await someone(service)
        await assertNoSignIn(service, async () => {
          assertRefused(await connect(other, subject), 409, ELSEWHERE)
        })
        assert.equal((await signedIn(service, providers[name], subject)).userId, owner.userId)
      })

      it(`requires the browser that began it with the ${name}, and works once`, async () => {
        const person = await someone(service)
        const { callback, cookie } = await connectCallback(person, providers[name].people.admit())
        await assertNoSignIn(service, async () => {
          assertRefused(await visit(service, callback), 400, UNKNOWN)
        })
        assertSucceeded(await visit(service, callback, { cookie }))
        assertRefused(await visit(service, callback, { cookie }), 400, UNKNOWN)
      })

      it(`requires the session that began it with the ${name}`, async () => {
        const [loggedOut, deleted] = [await someone(service), await someone(service)]
        const subject = providers[name].people.admit()
        const first = await connectCallback(loggedOut, subject)
        assertSucceeded(await post(service, '/api/auth/logout', undefined, { as: loggedOut }))
        const second = await connectCallback(deleted, subject)
        const { password } = deleted
        assertSucceeded(await del(service, '/api/delete-user', { password }, { as: deleted }))
        for (const { callback, cookie } of [first, second]) {
          await assertNoSignIn(service, async () => {
            assertRefused(await visit(service, callback, { cookie }), 400, UNKNOWN)
          })
        }
      })

      it(`gives one identity of the ${name} to one of two accounts that connect it concurrently`, async () => {
        const people = [await someone(service), await someone(service)]
        const subject = providers[name].people.admit()
        const ready = await Promise.all(people.map((person) => connectCallback(person, subject)))
        const responses = await Promise.all(ready.map(({ callback, cookie }) => visit(service, callback, { cookie })))
        assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409])
        const winner = people[responses.findIndex(({ status }) => status === 200)]
        assert.equal((await signedIn(service, providers[name], subject)).userId, winner?.userId)
      })

      it(`is a button for the ${name} on the security page, which gives the browser a new session`, async () => {
        const person = await someone(service)
        const visitor = await logInOnPages(service, person.email)
        const host = new URL(providers[name].url).host
        assert.match((await visitor.get('/account/security')).body, new RegExp(`aria-label="Connect ${host}"`))
        const sent = await visitor.submit('/account/security', 'link', { provider: name })
        assert.equal(sent.status, 200)
        const [, url = ''] = /^0; url=(.*)$/.exec(sent.headers.get('refresh') ?? '') ?? []
        assert.equal(new URL(url).host, host)
        const copy = new PageVisitor(service)
        copy.cookies.set('portico_session', visitor.cookies.get('portico_session') ?? '')
        assert.equal((await copy.get('/account')).status, 200)
        const back = await visitor.get(await visitProvider(url, providers[name].people.admit()))
        assert.deepEqual([back.status, back.location], [302, '/account/security'])
        const page = await visitor.get('/account/security')
        assert.match(page.body, /The provider is connected\. You can sign in with it from now on\./)
        assert.doesNotMatch(page.body, new RegExp(`Connect ${host}`))
        assert.match((await copy.get('/account')).location, /^\/log-in/)
        await assertAlive(service, person)
      })

      it(`redirects a browser from the ${name} to the requested path, and only to one of this site`, async () => {
        const person = await someone(service)
        const { callback, cookie } = await connectCallback(person, providers[name].people.admit(), {
          redirectTo: '/about',
        })
        const response = await visit(service, callback, { cookie, accept: ACCEPT_HTML })
        assert.equal(response.headers.get('location'), '/about')
        for (const redirectTo of ['//evil.example', 'https://evil.example', '/\\evil.example']) {
          assert.ok('redirectTo' in fieldsOf(await begin(name, person, { redirectTo })))
        }
      })
    }

    it('requires a signed-in user and the name of a provider', async () => {
      assertRefused(await begin('idp'), 401)
      const person = await someone(service)
      for (const provider of [undefined, null, '', 'email', 'github', 7, ['idp']]) {
        assert.ok('provider' in fieldsOf(await begin(provider, person)))
      }
    })

    it('cannot be started by another site', async () => {
      const visitor = await logInOnPages(service, (await someone(service)).email)
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      assert.equal((await visitor.submit('/account/security', 'link', { provider: 'idp' }, headers)).status, 403)
    })

    it('links nothing when the user unlinks before the callback of an earlier sign-in', async () => {
      const person = await someone(service)
      const subject = providers.idp.people.admit({ email: newEmail() })
      const begun = await begin('idp', person)
      const ready = { callback: await visitProvider(begun.body.data.url, subject), cookie: cookiesOf(begun.headers) }
      assertSucceeded(await visit(service, ready.callback, { cookie: ready.cookie.join('; ') }))
      const rounds = Array.from({ length: 8 }, () => signIn(service, providers.idp, subject))
      assertSucceeded(await unlink(service, 'idp', person))
      for (const response of await Promise.all(rounds)) assert.ok([200, 403].includes(response.status))
      assert.deepEqual(await linkedProviders(service, person), [])
      assertRefused(await signIn(service, providers.idp, subject), 403)
    })
  })
})
