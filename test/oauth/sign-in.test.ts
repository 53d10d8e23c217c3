import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Request } from '../../src/http/request.ts'
import { listSessions, ownProfile, tryRefresh } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, eventTypes, get, mailsTo, post, signUp } from '../support/api.ts'
import { PROVIDER_NAMES, visitProvider, withProviders } from '../support/providers.ts'
import { ACCEPT_HTML, begin, cookiesOf, reachCallback, signedIn, signIn, visit } from '../support/sign-in-steps.ts'

describe('signing in through a provider', () => {
  withProviders((service, providers) => {
    /** The user of the session cookie that a browser got. */
    const claimsOf = async (cookie: string) =>
      (await service.portico.browserSession.find({ headers: { cookie } } as Request))?.caller

    for (const name of PROVIDER_NAMES) {
      const admit = () => providers[name].people.admit()

      it(`gives an API client the response of log-in, with ${name} tokens that work`, async () => {
        const { email, password } = await signUp(service)
        const { body: like } = await post(service, '/api/log-in', { email, password })
        const response = await signIn(service, providers[name], admit())
        assertSucceeded(response)
        assert.equal(response.body.message, like.message)
        assert.deepEqual(shapeOf(response.body.data), shapeOf(like.data))
        assert.deepEqual(cookiesOf(response.headers), [])
        assert.equal(response.headers.get('cache-control'), 'no-store')

        const { accessToken, refreshToken, session, user } = response.body.data
        const as = { ...user, accessToken, refreshToken, sessionId: session.sessionId, password: '' }
        const profile = await ownProfile(service, as)
        assert.deepEqual(
          { ...user },
          {
            userId: profile._id,
            email: profile.email,
            firstName: profile.firstName,
            lastName: profile.lastName,
            username: profile.username,
          },
        )
        assertSucceeded(await tryRefresh(service, as))
      })

      it(`creates an account from the profile at the ${name}, without a password`, async () => {
        const subject = admit()
        const { email, firstName, lastName, username, avatar } = providers[name].people.get(subject)
        const person = await signedIn(service, providers[name], subject)
        const profile = await ownProfile(service, person)
        assert.deepEqual(profile, {
          ...profile,
          email,
          firstName,
          lastName,
          username,
          avatar,
          authMethod: name,
          hasPassword: false,
          hasChangedUsername: false,
          bio: '',
        })
        const [session, ...others] = await listSessions(service, person)
        assert.deepEqual(others, [])
        assert.deepEqual(session, { ...session, sessionId: person.sessionId, authMethod: name, isCurrent: true })
        assert.deepEqual(await eventTypes(service, person), ['session.started', 'sign-in.linked', 'account.created'])
        assert.deepEqual(await mailsTo(service, person.email), [])
      })

      it(`signs a browser in by a cookie and redirects it from the ${name}, with no secret in the URL`, async () => {
        const subject = admit()
        const redirectTo = '/account?tab=sessions&q=a%20b#top'
        const { authorizationUrl, state, cookie } = await begin(service, { name }, { redirectTo })
        const callback = await visitProvider(authorizationUrl, subject)
        const { status, headers, body } = await visit(service, callback, { cookie, accept: ACCEPT_HTML })
        assert.equal(status, 302)
        assert.equal(headers.get('location'), redirectTo)
        assert.equal(headers.get('cache-control'), 'no-store')
        assert.equal(body, '')
        assert.ok(!headers.getSetCookie().join().includes(state))

        const [session = '', ...others] = headers.getSetCookie().filter((line) => line.startsWith('portico_session='))
        assert.deepEqual(others, [])
        assert.match(session, /^portico_session=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
        const claims = await claimsOf(session.split(';')[0] ?? '')
        const later = await signedIn(service, providers[name], subject)
        assert.equal(claims?.userId, later.userId)
        const begun = (await listSessions(service, later)).find(({ sessionId }) => sessionId === claims?.sessionId)
        assert.deepEqual(begun, { ...begun, authMethod: name, revokedAt: null, isCurrent: false })
      })

      it(`ends the previous session of a browser when it signs in again with the ${name}`, async () => {
        const subject = admit()
        const first = await signedInBrowser(subject)
        const second = await signedInBrowser(subject, first)
        assert.equal(await claimsOf(first), undefined)
        const claims = await claimsOf(second)
        const later = await signedIn(service, providers[name], subject)
        assert.equal(claims?.userId, later.userId)
        assert.equal((await listSessions(service, later)).filter(({ revokedAt }) => revokedAt !== null).length, 1)
        assert.ok((await eventTypes(service, later)).includes('session.ended'))

        async function signedInBrowser(subject: string, sessionCookie = ''): Promise<string> {
          const { callback, cookie } = await reachCallback(service, providers[name], subject)
          const { headers } = await visit(service, callback, {
            cookie: `${cookie}; ${sessionCookie}`,
            accept: ACCEPT_HTML,
          })
          return cookiesOf(headers).find((pair) => pair.startsWith('portico_session=')) ?? ''
        }
      })

      it(`separates the sessions of browsers and API clients that began through the ${name}`, async () => {
        const subject = admit()
        const { callback, cookie } = await reachCallback(service, providers[name], subject)
        const { headers } = await visit(service, callback, { cookie, accept: ACCEPT_HTML })
        const ofBrowser =
          cookiesOf(headers)
            .find((pair) => pair.startsWith('portico_session='))
            ?.slice(16) ?? ''
        const { sessionId } = (await claimsOf(`portico_session=${ofBrowser}`)) ?? { sessionId: '' }
        assertRefused(await get(service, '/api/user-details', { as: { accessToken: ofBrowser, sessionId } }), 401)
        const program = await signedIn(service, providers[name], subject)
        assert.equal(await claimsOf(`portico_session=${program.accessToken}`), undefined)
        assert.equal(await claimsOf(`portico_session=${program.refreshToken}`), undefined)
      })

      it(`redirects to the front page when a sign-in with the ${name} has no return path`, async () => {
        const { callback, cookie } = await reachCallback(service, providers[name], admit())
        const { headers } = await visit(service, callback, { cookie, accept: '*/*' })
        assert.equal(headers.get('location'), '/')
      })

      it(`finishes sign-ins with the ${name} in two tabs of a browser, in any order`, async () => {
        const subject = admit()
        const first = await begin(service, { name })
        const second = await begin(service, { name }, { cookie: first.cookie })
        for (const { authorizationUrl } of [second, first]) {
          const callback = await visitProvider(authorizationUrl, subject)
          assertSucceeded(await visit(service, callback, { cookie: `other=1; ${first.cookie}; more=2` }))
        }
      })
    }
  })
})

/** The names of all fields, on every level. */
function shapeOf(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return typeof data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, shapeOf(value)]))
}
