import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { otherThan, removePassword, reset, someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, codeFor, linkFor, post } from '../support/api.ts'
import { fieldValue, PageVisitor } from '../support/page-visitor.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const TRIES_PER_CODE = 5
const TRIES_PER_HOUR = 15
const MAX_CONSECUTIVE_WRONG_CODES = 30

describe('an attacker who uses up the tries of mailed codes', () => {
  onBothEngines((service) => {
    it('does not keep the owner from a proof of identity: the link of the mail still works', async () => {
      const owner = await someone(service)
      await removePassword(service, owner.email)
      await guessResetCodes(service, owner.email)

      assertSucceeded(await post(service, '/api/reauthenticate/code', undefined, { as: owner }))
      const mailedCode = await codeFor(service, owner.email)
      assertRefused(await post(service, '/api/reauthenticate', { mailedCode }, { as: owner }), 400)
      const { path, token } = await linkFor(service, owner.email)
      assert.equal(path, `/account/confirm?token=${token}`)
      assertSucceeded(await post(service, '/api/reauthenticate', { mailedCode: token }, { as: owner }))
      assertRefused(await post(service, '/api/reauthenticate', { mailedCode: token }, { as: owner }), 400)
    })
  })
})

describe('the link of a mail that proves an identity', () => {
  onBothEngines((service) => {
    async function ownerWithLink() {
      const { email, password } = await someone(service)
      const visitor = new PageVisitor(service)
      await visitor.submit('/log-in', 'log-in', { email, password })
      await removePassword(service, email)
      await service.advanceTime({ minutes: 16 })
      assert.equal((await visitor.submit('/account/confirm', 'send-code')).status, 303)
      return { email, visitor, link: await linkFor(service, email) }
    }

    it('does nothing when it is opened, and works once by its button, only for its owner', async () => {
      const { visitor, link } = await ownerWithLink()
      const stranger = new PageVisitor(service)
      assert.match((await stranger.get(link.path)).location, /^\/log-in\?/)
      const other = await someone(service)
      await stranger.submit('/log-in', 'log-in', { email: other.email, password: other.password })
      assert.ok(!(await stranger.get(link.path)).body.includes(link.token))

      const { body } = await visitor.get(link.path)
      assert.equal(fieldValue(body, 'mailedCode'), link.token)
      assert.match((await visitor.submit('/account/data', 'delete', { sure: 'yes' })).location, /^\/account\/confirm/)
      const proven = await visitor.submit(link.path, 'mailed-code', { mailedCode: link.token })
      assert.equal(proven.location, '/account', proven.body)
      assert.equal((await visitor.submit(link.path, 'mailed-code', { mailedCode: link.token })).status, 400)
      assert.match((await visitor.get(link.path)).body, /This link is too old or was used already/)
    })
  })
})

/** Requests reset codes for an address and enters wrong ones, until no digits are accepted any more. */
async function guessResetCodes(service: Service, email: string): Promise<void> {
  for (let tries = 0; tries < MAX_CONSECUTIVE_WRONG_CODES; tries += TRIES_PER_CODE) {
    if (tries % TRIES_PER_HOUR === 0) await service.advanceTime({ hours: 1 })
    assertSucceeded(await post(service, '/api/forgot-password', { email }))
    const wrong = otherThan(await codeFor(service, email))
    for (let round = 0; round < TRIES_PER_CODE; round++) assertRefused(await reset(service, email, wrong), 400)
  }
}
