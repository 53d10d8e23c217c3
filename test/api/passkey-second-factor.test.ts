import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countSessions, someone, tryLogIn } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, get, post } from '../support/api.ts'
import { addPasskey, reauthenticationOptions, signInOptions } from '../support/passkeys.ts'
import { onBothEngines } from '../support/service.ts'

describe('a passkey as the second factor', () => {
  onBothEngines((service) => {
    /** An account with two-step sign-in, and the challenge of a log-in with its password. */
    async function halfSignedIn() {
      const person = await someone(service)
      const passkey = await addPasskey(service, person)
      assertSucceeded(await post(service, '/api/second-factor', { isRequired: true }, { as: person }))
      const { status, body } = await tryLogIn(service, person.email, person.password)
      assert.deepEqual([status, body.code], [403, 'second_factor_required'])
      assert.ok(body.data.means.includes('passkey'))
      return { person, passkey, challenge: body.data.challenge as string }
    }

    const finish = (challenge: string, passkey: unknown) =>
      post(service, '/api/log-in/second-factor', { challenge, passkey })

    it('finishes the log-in, once, with the methods of both factors', async () => {
      const { person, passkey, challenge } = await halfSignedIn()
      const options = await signInOptions(service)
      const response = await finish(challenge, passkey.get(options))
      assertSucceeded(response)
      const { accessToken, session } = response.body.data
      const { body } = await get(service, '/api/sessions', { as: { accessToken, sessionId: session.sessionId } })
      const current = body.data.sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
      assert.deepEqual([current.authMethod, current.methods], ['email', ['pwd', 'hwk']])
      assertRefused(await finish(challenge, passkey.get(await signInOptions(service))), 400)
      assert.equal(await countSessions(service, person.userId), 2)
    })

    it('is not that of another account, not replayed, and not for another purpose', async () => {
      const [victim, attacker] = [await halfSignedIn(), await halfSignedIn()]
      const options = await signInOptions(service)
      const foreign = await finish(victim.challenge, attacker.passkey.get(options))
      assertRefused(foreign, 400, 'This passkey was not accepted, please try again')
      const proof = await reauthenticationOptions(service, victim.person)
      assertRefused(await finish(victim.challenge, victim.passkey.get(proof)), 400)
      assertRefused(await finish(victim.challenge, victim.passkey.get(options, { isVerified: false })), 400)
      const used = victim.passkey.get(options)
      assertSucceeded(await post(service, '/api/log-in/passkey', { passkey: used }))
      assertRefused(await finish(victim.challenge, used), 400)
      assertSucceeded(await finish(victim.challenge, victim.passkey.get(await signInOptions(service))))
      assert.equal(await countSessions(service, victim.person.userId), 3)
    })
  })
})
