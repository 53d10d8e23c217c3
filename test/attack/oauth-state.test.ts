import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countSessions } from '../support/accounts.ts'
import { type ApiResponse, assertRefused, assertSucceeded, newEmail } from '../support/api.ts'
import { DENIAL_COOKIE, PROVIDER_NAMES, visitProvider, withProviders } from '../support/providers.ts'
import {
  ACCEPT_HTML,
  ageHandshakes,
  assertNoSignIn,
  assertSignInRefused,
  begin,
  reachCallback,
  signIn,
  visit,
} from '../support/sign-in-steps.ts'

const UNKNOWN = 'This sign-in is unknown, finished or expired: please start again'
const REFUSED = 'The sign-in was refused by the provider'
const NO_EMAIL = 'Your account at the provider has no verified e-mail address'
const NO_STATE = 'A'.repeat(43)

/** The callback with another value of a parameter, or without the parameter. */
function changed(callback: string, parameter: string, value: string | undefined): string {
  const { pathname, searchParams } = new URL(callback, 'http://here.invalid')
  if (value === undefined) searchParams.delete(parameter)
  else searchParams.set(parameter, value)
  return `${pathname}?${searchParams}`
}

describe('a sign-in through a provider', () => {
  withProviders((service, providers) => {
    for (const name of PROVIDER_NAMES) {
      const other = name === 'idp' ? 'codehost' : 'idp'
      const admit = () => providers[name].people.admit()
      const back = () => reachCallback(service, providers[name], admit())

      /** No session began, the provider got no request, and no cookie was set. */
      async function assertUnknown(attempt: () => Promise<ApiResponse>): Promise<void> {
        const asked = providers[name].exchanges() + providers[other].exchanges()
        await assertNoSignIn(service, async () => {
          const response = await attempt()
          assertSignInRefused(response, 400, UNKNOWN)
          assert.deepEqual(response.headers.getSetCookie(), [])
        })
        assert.equal(providers[name].exchanges() + providers[other].exchanges(), asked)
      }

      async function assertRefusedWith(message: string, attempt: () => Promise<ApiResponse>): Promise<void> {
        await assertNoSignIn(service, async () => assertRefused(await attempt(), 400, message))
      }

      it(`returns from the ${name} once`, async () => {
        const { callback, cookie } = await back()
        const response = await visit(service, callback, { cookie })
        assertSucceeded(response)
        await assertUnknown(() => visit(service, callback, { cookie }))
        await assertUnknown(() => visit(service, callback, { cookie, accept: ACCEPT_HTML }))
        assert.equal(await countSessions(service, response.body.data.user.userId), 1)
      })

      it(`is refused after the ${name} with a forged or missing state`, async () => {
        const { callback, cookie } = await back()
        for (const state of [NO_STATE, '', undefined, "' or 1=1 --", 'x'.repeat(5000)]) {
          await assertUnknown(() => visit(service, changed(callback, 'state', state), { cookie }))
        }
        await assertUnknown(() => visit(service, `/api/oauth/${name}`, { cookie }))
        assertRefused(await visit(service, `${callback}&state=${NO_STATE}`, { cookie }), 400, 'Validation failed')
        assertSucceeded(await visit(service, callback, { cookie }))
      })

      it(`returns from the ${name} within ten minutes`, async () => {
        const early = await back()
        await ageHandshakes(service, { minutes: 9 })
        assertSucceeded(await visit(service, early.callback, early))
        const late = await back()
        await ageHandshakes(service, { minutes: 11 })
        await assertUnknown(() => visit(service, late.callback, late))
      })

      it(`returns from the ${name} to the browser that began it, after attempts of other browsers`, async () => {
        const { callback, cookie } = await back()
        const otherBrowser = await begin(service, { name })
        const forged = [otherBrowser.cookie, undefined, 'portico_sign_in=', `portico_sign_in=${NO_STATE}`]
        for (const cookie of forged) {
          await assertUnknown(() => visit(service, callback, { cookie }))
          await assertUnknown(() => visit(service, callback, { cookie, accept: ACCEPT_HTML }))
        }
        assertSucceeded(await visit(service, callback, { cookie }))
      })

      it(`is refused at the callback of the ${other} when it was started at the ${name}`, async () => {
        const { callback, cookie } = await back()
        await assertUnknown(() => visit(service, callback.replace(`/${name}?`, `/${other}?`), { cookie }))
        assertSucceeded(await visit(service, callback, { cookie }))
      })

      it(`ends when the user denies it at the ${name}`, async () => {
        const { authorizationUrl, cookie } = await begin(service, { name })
        const callback = await visitProvider(authorizationUrl, admit(), DENIAL_COOKIE)
        assert.match(callback, /[?&]error=access_denied(&|$)/)
        await assertRefusedWith(REFUSED, () => visit(service, callback, { cookie }))
        await assertUnknown(() => visit(service, callback, { cookie }))
      })

      it(`never shows parameters of the callback from the ${name}`, async () => {
        const { state, cookie } = await begin(service, { name })
        const words = `error=access_denied&error_description=${encodeURIComponent('<script>Call 0900!</script>')}`
        const response = await visit(service, `/api/oauth/${name}?${words}&state=${state}`, {
          cookie,
          accept: ACCEPT_HTML,
        })
        assertSignInRefused(response, 400, REFUSED)
        assert.doesNotMatch(JSON.stringify(response.body), /0900|<script|access_denied/)
      })

      it(`is refused with a missing or wrong code of the ${name}`, async () => {
        for (const code of ['wrong', '', undefined, 'x'.repeat(5000)]) {
          const { callback, cookie } = await back()
          await assertRefusedWith(REFUSED, () => visit(service, changed(callback, 'code', code), { cookie }))
        }
        const { callback, cookie } = await back()
        await assertRefusedWith('Validation failed', () => visit(service, changed(callback, 'code', '\0'), { cookie }))
      })

      it(`is refused with the code of another sign-in with the ${name}`, async () => {
        const victim = await back()
        const attacker = await back()
        const code = new URL(victim.callback, 'http://here.invalid').searchParams.get('code') ?? ''
        await assertRefusedWith(REFUSED, () => visit(service, changed(attacker.callback, 'code', code), attacker))
      })

      it(`is refused when its iss parameter is not that of the ${name}`, async () => {
        const { callback, cookie } = await back()
        const mixedUp = changed(callback, 'iss', 'https://evil.example')
        await assertRefusedWith(REFUSED, () => visit(service, mixedUp, { cookie }))
      })

      it(`is refused without an e-mail address that the ${name} has verified`, async () => {
        const people = [
          { verified: false },
          { email: undefined },
          { email: 'nobody' },
          { email: `a@example.com,${newEmail()}` },
          { email: `a@example.com\n${newEmail()}` },
          { email: `${'a'.repeat(250)}@example.com` },
        ]
        for (const person of people) {
          const subject = providers[name].people.admit(person)
          await assertRefusedWith(NO_EMAIL, () => signIn(service, providers[name], subject))
        }
      })
    }
  })
})
