import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { createWebAuthnChallenges } from '../../src/proofs/webauthn-challenges.ts'
import { countSessions, everythingStored, someone } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  eventTypes,
  logIn,
  type Person,
  post,
} from '../support/api.ts'
import {
  addPasskey,
  listPasskeys,
  logInWithPasskey,
  newAuthenticator,
  reauthenticate,
  reauthenticationOptions,
  registrationOptions,
  sendPasskey,
  signInOptions,
  tryAddPasskey,
  tryPasskey,
} from '../support/passkeys.ts'
import { onBothEngines, type Service } from '../support/service.ts'
import type { SoftwareAuthenticator, Tampering } from '../support/software-authenticator.ts'

const AT_ONCE = 64

/** What a hostile page or authenticator changes, and a verifier must notice. */
const TAMPERINGS: Record<string, Tampering> = {
  'the origin of another site': { origin: 'https://localhost.evil.example' },
  'the origin of another port': { origin: 'http://localhost:3001' },
  'the origin of another scheme': { origin: 'https://localhost:3000' },
  'another RP id': { rpId: 'evil.example' },
  'no user verification': { isVerified: false },
  'no user presence': { isPresent: false },
  'a frame inside another site': { crossOrigin: true },
}

/** Challenges as the service would have issued them at another time. */
async function challengesAt({ portico: { database } }: Service, offsetMs: number) {
  const { value } = await database.query
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', 'hash-key')
    .executeTakeFirstOrThrow()
  const key = Buffer.from(value, 'base64url')
  const hash = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  return createWebAuthnChallenges(hash, { now: () => Date.now() + offsetMs })
}

describe('an attacker of passkeys', () => {
  onBothEngines((service) => {
    async function owner(): Promise<{ person: Person; passkey: SoftwareAuthenticator }> {
      const person = await someone(service)
      return { person, passkey: await addPasskey(service, person) }
    }

    /** The id and the user handle of a passkey, with another key. */
    async function forgerOf({ person, passkey }: Awaited<ReturnType<typeof owner>>): Promise<SoftwareAuthenticator> {
      const forger = newAuthenticator({ id: passkey.id })
      forger.create(await registrationOptions(service, person))
      return forger
    }

    const assertNoSignIn = (response: ApiResponse) => {
      assertRefused(response, 401, 'This passkey cannot be used to sign in')
      assert.equal(response.body.code, 'invalid_passkey')
    }
    const assertNotAdded = (response: ApiResponse) =>
      assertRefused(response, 400, 'The passkey could not be added, please try again')

    for (const [what, tampering] of Object.entries(TAMPERINGS)) {
      it(`does not sign in with ${what}, and adds no passkey with it`, async () => {
        const { person, passkey } = await owner()
        assertNoSignIn(await tryPasskey(service, passkey, tampering))
        assertNotAdded(await tryAddPasskey(service, person, newAuthenticator(), tampering))
        assert.equal((await listPasskeys(service, person)).length, 1)
        assert.equal(await countSessions(service, person.userId), 1)
      })
    }

    it('does not sign in with the response to a registration, and adds no passkey with that to a sign-in', async () => {
      const { person, passkey } = await owner()
      assertNoSignIn(await tryPasskey(service, passkey, { type: 'webauthn.create' }))
      assertNotAdded(await tryAddPasskey(service, person, newAuthenticator(), { type: 'webauthn.get' }))
    })

    it('does not sign in with a signature of another key', async () => {
      assertNoSignIn(await tryPasskey(service, await forgerOf(await owner())))
    })

    it('gets the same response for an unknown passkey as for a wrong signature', async () => {
      const forger = await forgerOf(await owner())
      const responses = [await tryPasskey(service, newAuthenticator()), await tryPasskey(service, forger)]
      for (const response of responses) assertNoSignIn(response)
      const [unknown, wrong] = responses.map(({ status, body }) => ({
        status,
        body: { ...body, timestamp: '', requestId: '' },
      }))
      assert.deepEqual(unknown, wrong)
    })

    it('does not replay a response', async () => {
      const { person, passkey } = await owner()
      const response = passkey.get(await signInOptions(service))
      assertSucceeded(await sendPasskey(service, response))
      assertNoSignIn(await sendPasskey(service, response))
      assertNoSignIn(await sendPasskey(service, { ...response, extra: 'field' }))
      assert.equal(await countSessions(service, person.userId), 2)
    })

    it(`wins once with ${AT_ONCE} uses of one challenge at the same time`, async () => {
      const { person, passkey } = await owner()
      const options = await signInOptions(service)
      const responses = await Promise.all(
        Array.from({ length: AT_ONCE }, () => sendPasskey(service, passkey.get(options))),
      )
      assert.equal(responses.filter(({ status }) => status === 200).length, 1)
      for (const response of responses.filter(({ status }) => status !== 200)) assertNoSignIn(response)
      assert.equal(await countSessions(service, person.userId), 2)
    })

    it('registers one passkey with one challenge', async () => {
      const person = await someone(service)
      const options = await registrationOptions(service, person)
      const responses = await Promise.all(
        Array.from({ length: 8 }, () =>
          post(service, '/api/passkeys', { passkey: newAuthenticator().create(options) }, { as: person }),
        ),
      )
      assert.deepEqual(responses.map(({ status }) => status).sort(), [201, ...Array(7).fill(400)])
      assert.equal((await listPasskeys(service, person)).length, 1)
    })

    it('does not use a challenge after 5 minutes', async () => {
      const { person, passkey } = await owner()
      const [late, inTime] = [await challengesAt(service, -5 * 60_000 - 1), await challengesAt(service, -4 * 60_000)]
      const rpId = 'localhost'
      assertNoSignIn(await sendPasskey(service, passkey.get({ rpId, challenge: late.issue('sign-in') })))
      const options = await registrationOptions(service, person)
      const challenge = late.issue('registration', person)
      const expired = newAuthenticator().create({ ...options, challenge })
      assertNotAdded(await post(service, '/api/passkeys', { passkey: expired }, { as: person }))
      assertSucceeded(await sendPasskey(service, passkey.get({ rpId, challenge: inTime.issue('sign-in') })))
    })

    it('does not use a changed or invented challenge', async () => {
      const { passkey } = await owner()
      const { challenge, rpId } = await signInOptions(service)
      const bytes = Buffer.from(challenge, 'base64url')
      for (const at of [0, 15, 16, 21, 22, 53]) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ 1
        assertNoSignIn(await sendPasskey(service, passkey.get({ rpId, challenge: changed.toString('base64url') })))
      }
      for (const invented of [
        '',
        'AAAA',
        `${challenge}=`,
        `${challenge}AA`,
        bytes.toString('base64'),
        ` ${challenge}`,
      ]) {
        if (invented !== challenge)
          assertNoSignIn(await sendPasskey(service, passkey.get({ rpId, challenge: invented })))
      }
      assertSucceeded(await sendPasskey(service, passkey.get({ rpId, challenge })))
    })

    it('does not use a challenge for another purpose', async () => {
      const { person, passkey } = await owner()
      const [signIn, registration, proof] = [
        await signInOptions(service),
        await registrationOptions(service, person),
        await reauthenticationOptions(service, person),
      ]
      const rpId = 'localhost'
      for (const { challenge } of [registration, proof])
        assertNoSignIn(await sendPasskey(service, passkey.get({ rpId, challenge })))
      for (const { challenge } of [signIn, registration])
        assertRefused(await reauthenticate(service, person, passkey.get({ rpId, challenge })), 400)
      for (const { challenge } of [signIn, proof]) {
        const created = newAuthenticator().create({ ...registration, challenge })
        assertNotAdded(await post(service, '/api/passkeys', { passkey: created }, { as: person }))
      }
    })

    it('does not use a challenge of another session or another account', async () => {
      const { person, passkey } = await owner()
      const [session, stranger] = [await logIn(service, person), await someone(service)]
      const options = await registrationOptions(service, person)
      const proof = await reauthenticationOptions(service, person)
      for (const as of [session, stranger]) {
        const created = newAuthenticator().create(options)
        assertNotAdded(await post(service, '/api/passkeys', { passkey: created }, { as }))
        assertRefused(await reauthenticate(service, as, passkey.get(proof)), 400)
      }
      assert.equal((await listPasskeys(service, person)).length, 1)
      assert.deepEqual(await listPasskeys(service, stranger), [])
    })

    it('does not prove the identity of another person with the own passkey', async () => {
      const [victim, attacker] = [await owner(), await owner()]
      const options = await reauthenticationOptions(service, victim.person)
      assertRefused(await reauthenticate(service, victim.person, attacker.passkey.get(options)), 400)
      const withHandle = attacker.passkey.get(options, { userHandle: null })
      assertRefused(await reauthenticate(service, victim.person, withHandle), 400)
    })

    it('does not sign in to another account by its user handle', async () => {
      const [victim, attacker] = [await owner(), await owner()]
      const { user } = await registrationOptions(service, victim.person)
      for (const userHandle of [user.id, null, 'AAAA']) {
        assertNoSignIn(await tryPasskey(service, attacker.passkey, { userHandle }))
      }
      assert.equal(await countSessions(service, victim.person.userId), 1)
    })

    it('does not register the passkey of another account, nor its id with another key', async () => {
      const [victim, attacker] = [await owner(), await someone(service)]
      assertNotAdded(await tryAddPasskey(service, attacker, newAuthenticator({ id: victim.passkey.id })))
      assert.deepEqual(await listPasskeys(service, attacker), [])
      const another = newAuthenticator()
      assertNotAdded(await tryAddPasskey(service, attacker, another, { id: victim.passkey.id }))
      // The handle of the passkey is that of its first account.
      assert.equal((await logInWithPasskey(service, victim.passkey)).userId, victim.person.userId)
    })

    it('writes nothing by asking for options and by sending passkeys that nobody has', async () => {
      const before = await everythingStored(service)
      for (let number = 0; number < 5; number++) assertNoSignIn(await tryPasskey(service, newAuthenticator()))
      assert.deepEqual(await everythingStored(service), before)
    })

    it('is seen by the owner when a copied authenticator counts backwards', async () => {
      const { person, passkey } = await owner()
      await logInWithPasskey(service, passkey, { signCount: 10 })
      assert.ok(!(await eventTypes(service, person)).includes('passkey.counter-reversed'))
      const copy = await logInWithPasskey(service, passkey, { signCount: 10 })
      assert.equal((await eventTypes(service, copy)).filter((type) => type === 'passkey.counter-reversed').length, 1)
      await logInWithPasskey(service, passkey, { signCount: 0 })
      assert.equal((await eventTypes(service, copy)).filter((type) => type === 'passkey.counter-reversed').length, 2)
      await logInWithPasskey(service, passkey, { signCount: 11 })
      assert.equal((await eventTypes(service, copy)).filter((type) => type === 'passkey.counter-reversed').length, 2)
    })

    it('does not get malformed or large responses as far as the verification', async () => {
      const { person, passkey } = await owner()
      const good = passkey.get(await signInOptions(service))
      const { response } = good
      const bad: unknown[] = [
        ...[
          null,
          1,
          'x',
          [],
          {},
          { ...good, id: undefined },
          { ...good, id: 'x'.repeat(1365) },
          { ...good, id: 'a/b' },
        ],
        ...[
          { ...good, type: 'password' },
          { ...good, response: null },
          { ...good, response: { ...response, signature: 1 } },
        ],
        ...Object.keys(response).map((name) => ({ ...good, response: { ...response, [name]: 'A'.repeat(20_000) } })),
        ...Object.keys(response).map((name) => ({ ...good, response: { ...response, [name]: 'not base64url!' } })),
      ]
      for (const passkey of bad) assertRefused(await sendPasskey(service, passkey), 400, 'Validation failed')
      for (const text of ['A', 'e30', 'W10', 'bnVsbA', 'AAAAAAAA']) {
        for (const name of Object.keys(response)) {
          assertNoSignIn(await sendPasskey(service, { ...good, response: { ...response, [name]: text } }))
        }
      }
      const created = newAuthenticator().create(await registrationOptions(service, person))
      for (const attestationObject of ['A', 'oA', 'oWhhdXRoRGF0YUA', 'n'.repeat(16_384), '_'.repeat(16_384)]) {
        const passkey = { ...created, response: { ...created.response, attestationObject } }
        assertNotAdded(await post(service, '/api/passkeys', { passkey }, { as: person }))
      }
      assertSucceeded(await sendPasskey(service, good))
    })
  })
})
