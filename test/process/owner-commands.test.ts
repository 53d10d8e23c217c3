import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertEnded, tryLogIn } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, get, PASSWORD, signUp } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { runPortico } from '../support/process.ts'
import { ENGINES, startOn, temporaryDatabase } from '../support/service.ts'

describe('portico owner and portico people', () => {
  for (const engine of ENGINES) {
    it(`change accounts while the service runs on ${engine}`, async (t) => {
      const env = await temporaryDatabase(t, engine)
      const service = await startOn(env)
      cleanUp(t, () => service.close())
      const [owner, person] = [await signUp(service), await signUp(service)]
      const portico = (...args: string[]) => runPortico(t, args, { env })

      const added = await portico('owner', 'add', owner.email)
      assert.deepEqual([added.code, added.stdout], [0, `${owner.email} is an owner of the site.\n`], added.stderr)
      assertSucceeded(await get(service, '/api/owner/people', { as: owner }))

      const ended = await portico('people', 'end-session', person.email, person.sessionId, '--json')
      assert.deepEqual(JSON.parse(ended.stdout), { userId: person.userId, sessionId: person.sessionId })
      await assertEnded(service, person)

      const until = ['--until', '2999-01-31', '--reason', 'Advertising']
      assert.equal((await portico('people', 'suspend', person.email, ...until)).code, 0)
      assertRefused(await tryLogIn(service, person.email, PASSWORD), 403, 'Your account is suspended')
      const listed = await portico('people', 'list', person.email, '--filter', 'suspended', '--json')
      const { people } = JSON.parse(listed.stdout)
      assert.deepEqual([people.length, people[0].email, people[0].suspensionReason], [1, person.email, 'Advertising'])

      const audit = await portico('audit', person.email)
      assert.match(audit.stdout, /^WHEN .*\n\S+Z {2}Suspended a person +\S+@\S+ +command line +suspended until: /)

      const tested = await portico('mail', 'test', owner.email, '--json')
      assert.deepEqual([tested.code, JSON.parse(tested.stdout)], [0, { recipient: owner.email }], tested.stderr)
      assert.equal((await portico('mail', 'test', person.email)).code, 1)
      const health = JSON.parse((await portico('health', '--json')).stdout)
      const { body } = await get(service, '/api/owner/health', { as: owner })
      assert.deepEqual(Object.keys(health), Object.keys(body.data))
      assert.deepEqual([health.instances.length, health.days.at(-1)], [1, body.data.days.at(-1)])
      assert.match((await portico('health')).stdout, /\nsign-ups +\S.* in 30 days, [\s\S]*\nPROCESS ON /)

      const last = await portico('owner', 'remove', owner.email)
      assert.deepEqual([last.code, last.stderr], [1, 'The last owner of the site cannot be removed.\n'])
      const early = await portico('owner', 'add', 'nobody@example.com')
      assert.equal(early.code, 1)
      assert.match(early.stderr, /^No account has .* nobody@example\.com\. Sign up first: http:\S+\/sign-up\n$/)
      const unknown = await portico('people', 'show', 'nobody\u001b[31m')
      assert.equal(unknown.code, 1)
      assert.ok(!unknown.stderr.includes('\u001b'))
    })
  }
})
