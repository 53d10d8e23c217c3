import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { type ApiResponse, assertRefused, assertSucceeded } from '../support/api.ts'
import { startCodeHost } from '../support/code-host.ts'
import { type IdTokenOverride, startFaultyOpenIdProvider } from '../support/faulty-openid-provider.ts'
import type { Fault } from '../support/local-servers.ts'
import { besideServices, PROVIDER_NAMES } from '../support/providers.ts'
import { assertNoSignIn, reachCallback, signIn, start, visit } from '../support/sign-in-steps.ts'

const UNREACHABLE = 'The sign-in provider cannot be reached, please try again'
// Less than the timeout of one request, which is five seconds: no request has timed out.
const NO_WAIT_MS = 4_800
// The service times out after nine seconds. An HTTP client without our timeout would wait for half a minute.
const MAX_WAIT_MS = 25_000

const GARBAGE: Record<string, Fault> = {
  'status 500': { status: 500, body: '{"message":"Server Error"}' },
  'status 503 and a page': { status: 503, type: 'text/html', body: '<h1>Down for maintenance</h1>' },
  'a redirect': { status: 302, body: '' },
  'a page': { type: 'text/html', body: '<h1>Hello</h1>' },
  'a truncated response': { body: '{"access_token":"a","tok' },
  nothing: { body: '' },
  'an endless response': 'endless',
}

const PLACES = [
  ['codehost', 'token'],
  ['codehost', 'user'],
  ['codehost', 'emails'],
  ['idp', 'token'],
  ['idp', 'userinfo'],
] as const

/** Leaves out the claims that are then in the UserInfo response. */
const withoutEmail: IdTokenOverride = ({ email: _, ...claims }, sign) => sign(claims)

// Nearly all of the time is spent waiting for providers that do not respond: both engines can wait concurrently.
describe('a provider that fails', { concurrency: true }, () => {
  const startAll = async () => ({ codehost: await startCodeHost(), idp: await startFaultyOpenIdProvider() })
  besideServices(startAll, (service, providers) => {
    const admit = (name: 'codehost' | 'idp') => providers[name].people.admit()
    const back = (name: 'codehost' | 'idp') => reachCallback(service, providers[name], admit(name))

    afterEach(() => {
      const { codehost, idp } = providers
      Object.assign(codehost.faults, { token: undefined, user: undefined, emails: undefined })
      Object.assign(idp.faults, { discovery: undefined, token: undefined, userinfo: undefined })
      idp.override.idToken = undefined
    })

    /** Every attempt gets a 502 before the deadline, and signs no user in. */
    async function assertBadGateway(within: number, ...attempts: (() => Promise<ApiResponse>)[]): Promise<void> {
      await assertNoSignIn(service, async () => {
        const begun = performance.now()
        for (const response of await Promise.all(attempts.map((attempt) => attempt()))) {
          assertRefused(response, 502, UNREACHABLE)
          assert.deepEqual(response.headers.getSetCookie(), [])
          assert.equal(response.headers.get('location'), null)
        }
        const took = performance.now() - begun
        assert.ok(took < within, `it took ${took} ms`)
      })
    }

    // These two come first, while the service has not discovered the provider yet.
    it('gives a 502, not a refusal, while its discovery document is wrong', async () => {
      for (const body of ['null', '{}', '{"issuer":"https://another.example"}']) {
        providers.idp.faults.discovery = { body }
        await assertBadGateway(NO_WAIT_MS, () => start(service, providers.idp))
      }
    })

    it('gives a 502 while it cannot be discovered, and works as soon as it can be', async () => {
      const { idp } = providers
      for (const discovery of Object.values(GARBAGE)) {
        idp.faults.discovery = discovery
        await assertBadGateway(NO_WAIT_MS, () => start(service, idp))
      }
      idp.faults.discovery = 'silence'
      await assertBadGateway(
        MAX_WAIT_MS,
        () => start(service, idp),
        () => start(service, idp),
      )
      await idp.down()
      await assertBadGateway(NO_WAIT_MS, () => start(service, idp))
      await idp.up()
      idp.faults.discovery = undefined
      assertSucceeded(await signIn(service, idp, admit('idp')))
    })

    for (const name of PROVIDER_NAMES) {
      it(`gives a 502 at once while the ${name} is down, and works again when it is up`, async () => {
        const { callback, cookie } = await back(name)
        await providers[name].down()
        await assertBadGateway(NO_WAIT_MS, () => visit(service, callback, { cookie }))
        await providers[name].up()
        assertSucceeded(await signIn(service, providers[name], admit(name)))
      })
    }

    for (const [name, place] of PLACES) {
      it(`gives a 502 while the ${name} sends garbage for ${place}, and works again afterwards`, async () => {
        const subject = admit(name)
        providers.idp.override.idToken = withoutEmail
        for (const fault of Object.values(GARBAGE)) {
          Object.assign(providers[name].faults, { [place]: fault })
          await assertBadGateway(NO_WAIT_MS, () => signIn(service, providers[name], subject))
        }
        Object.assign(providers[name].faults, { [place]: undefined })
        assertSucceeded(await signIn(service, providers[name], subject))
      })
    }

    it('gives a 502 when it sends an invalid ID token', async () => {
      const subject = admit('idp')
      providers.idp.override.idToken = async () => 'no.token.at-all'
      await assertBadGateway(NO_WAIT_MS, () => signIn(service, providers.idp, subject))
    })

    const waits: [string, { token?: Fault; who?: Fault }, { token?: Fault; who?: Fault }][] = [
      ['never responds to the exchange', { token: 'silence' }, { token: 'half' }],
      ['never sends the profile', { who: 'silence' }, { who: 'half' }],
      [
        'delays each response',
        { token: { seconds: 4.8 }, who: { seconds: 4.8 } },
        { token: { seconds: 4.8 }, who: { seconds: 4.8 } },
      ],
    ]
    for (const [what, ofCodehost, ofIdp] of waits) {
      it(`gives a 502 when it ${what}`, async () => {
        const { codehost, idp } = providers
        const [first, second] = [await back('codehost'), await back('idp')]
        idp.override.idToken = withoutEmail
        Object.assign(codehost.faults, { token: ofCodehost.token, user: ofCodehost.who, emails: ofCodehost.who })
        Object.assign(idp.faults, { token: ofIdp.token, userinfo: ofIdp.who })
        await assertBadGateway(
          MAX_WAIT_MS,
          () => visit(service, first.callback, first),
          () => visit(service, second.callback, second),
        )
      })
    }
  })
})
