import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownProfile, someone, tryLogIn, tryRefresh } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  del,
  get,
  mailsTo,
  newEmail,
  type Person,
  post,
  registration,
} from '../support/api.ts'
import { forgedToken } from '../support/forged-tokens.ts'
import { listenOnLoopback } from '../support/local-servers.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import type { Service } from '../support/service.ts'
import { begin, signedIn, visit } from '../support/sign-in-steps.ts'

describe('an address that a user names is never fetched', () => {
  withProviders((service, providers) => {
    /** Uses the bait in every way. The bait server must get no connection. */
    async function assertUntouched(lay: (bait: string) => Promise<unknown>): Promise<void> {
      const listener = await listenOnLoopback((_request, response) => response.end())
      try {
        await lay(`${listener.url}/bait.png`)
        await service.portico.deliveryWorker.idle()
        assert.equal(listener.connections(), 0)
        // A connection to the bait server would be counted.
        await (await fetch(`${listener.url}/bait.png`)).text()
        assert.equal(listener.connections(), 1)
      } finally {
        await listener.close()
      }
    }

    it('as an avatar or a social account', () =>
      assertUntouched(async (bait) => {
        const person = await someone(service)
        assertSucceeded(await post(service, '/api/upload-avatar', { avatar: bait }, { as: person }))
        const socialAccounts = [{ provider: 'bait', url: bait }]
        assertSucceeded(await post(service, '/api/user-details', { socialAccounts, bio: bait }, { as: person }))
        assert.equal((await ownProfile(service, person)).avatar, bait)
        assertSucceeded(await del(service, '/api/upload-avatar', undefined, { as: person }))
      }))

    it('as the avatar of a provider profile', () =>
      assertUntouched(async (bait) => {
        for (const name of PROVIDER_NAMES) {
          const subject = providers[name].people.admit({ avatar: bait })
          const person = await signedIn(service, providers[name], subject)
          assert.equal((await ownProfile(service, person)).avatar, bait)
        }
      }))

    it('as the key URL of a token', () =>
      assertUntouched(async (bait) => {
        const person = await someone(service)
        for (const header of [{ jku: bait }, { x5u: bait }, { kid: bait }, { jku: bait, kid: undefined }]) {
          const accessToken = await forgedToken(service, person, { header })
          await get(service, '/api/user-details', { as: { ...person, accessToken } })
          const refreshToken = await forgedToken(service, person, { header: { typ: 'rt+jwt', ...header } })
          assertRefused(await tryRefresh(service, { ...person, refreshToken }), 401)
        }
        const accessToken = await forgedToken(service, person, { claims: { iss: bait } })
        assertRefused(await get(service, '/api/user-details', { as: { ...person, accessToken } }), 401)
      }))

    it('as the issuer or the return path of a sign-in', () =>
      assertUntouched(async (bait) => {
        for (const name of PROVIDER_NAMES) {
          const { state, cookie } = await begin(service, { name })
          const response = await visit(service, `/api/oauth/${name}?code=x&state=${state}&iss=${bait}`, { cookie })
          assertRefused(response, 400)
          assertRefused(await visit(service, `/api/oauth/${name}/start?redirect_to=${bait}`), 400)
        }
      }))

    it('as a name, or as a header about the origin of a request', () =>
      assertUntouched(async (bait) => {
        const { host } = new URL(bait)
        const names = [
          'origin',
          'referer',
          'user-agent',
          'x-forwarded-for',
          'x-forwarded-host',
          'x-real-ip',
          'forwarded',
        ]
        const headers = Object.fromEntries(names.map((name) => [name, name.endsWith('host') ? host : bait]))
        const email = newEmail()
        const body = registration({ email, firstName: bait.slice(0, 50) })
        assertSucceeded(await post(service, '/api/create-account', body, { headers }), 201)
        assert.equal((await mailsTo(service, email)).length, 1)
        const person = await someone(service)
        assertSucceeded(await tryLogIn(service, person.email, person.password, { headers }))
        assertSucceeded(await readFrom(service, person, headers))
      }))
  })
})

const readFrom = (service: Service, as: Person, headers: Record<string, string>) =>
  get(service, '/api/sessions', { as, headers })
