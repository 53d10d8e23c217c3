import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { register } from '../support/accounts.ts'
import { assertRefused, newEmail, post, registration } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { invitationFor } from '../support/owners.ts'
import { runPortico } from '../support/process.ts'
import { startOn, temporaryDatabase } from '../support/service.ts'

describe('portico registration and portico invitation', () => {
  it('change who may register at a running service', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    const service = await startOn(env)
    cleanUp(t, () => service.close())
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await runPortico(t, words, { env })
      assert.equal(code, 0, stderr)
      return stdout
    }
    const changed = await run('registration', 'set', 'invite', '--domains', 'Example.com, bücher.example,', '--json')
    const expected = { mode: 'invite', allowedDomains: ['example.com', 'xn--bcher-kva.example'] }
    assert.deepEqual(JSON.parse(changed), expected)
    const email = newEmail()
    assertRefused(await post(service, '/api/create-account', registration({ email })), 403)

    const invitation = JSON.parse(await run('invitation', 'create', email.toUpperCase(), '--days', '1', '--json'))
    assert.equal(invitation.email, email)
    service.portico.deliveryWorker.wake()
    const token = await invitationFor(service, email)
    assert.match(await run('invitation', 'revoke', email), new RegExp(`^Revoked the invitation of ${email}\\.\n$`))
    assert.match(
      await run('invitation', 'list'),
      new RegExp(`\n${email} +revoked +\\S+ +\\S+ +${invitation.invitationId}\n`),
    )
    assertRefused(await post(service, '/api/create-account', registration({ email, invitation: token })), 403)
    assert.match(await run('registration', 'set', 'open', '--domains', ''), /^Registration is open\. Everybody .*\n$/)
    await register(service, { email })
    assert.equal(
      await run('registration', 'set', 'open', '--domains', 'example.com'),
      'Registration is open. People with an address of one of the domains, and invited people, can create an account.\nDomains: example.com\n',
    )

    const refused = await runPortico(t, ['invitation', 'create', email, '--days', 'x'], { env })
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /Days must be from 1 to 90/)
  })
})
