import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, eventTypes, mailsTo, post, subjectsTo } from '../support/api.ts'
import { passFirstStep, passSecondStep, someoneProtected, stateOf } from '../support/second-factor.ts'
import { onBothEngines } from '../support/service.ts'

describe('recovery codes', () => {
  onBothEngines((service) => {
    it('signs in with a recovery code, once, however it is typed', async () => {
      const owner = await someoneProtected(service)
      const [first = '', second = ''] = owner.recoveryCodes
      const typed = first.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
      assertSucceeded(await passSecondStep(service, await passFirstStep(service, owner), { recoveryCode: typed }))
      assert.equal((await stateOf(service, owner)).recoveryCodesLeft, 9)
      const again = await passSecondStep(service, await passFirstStep(service, owner), { recoveryCode: first })
      assertRefused(again, 400, 'The code is wrong or was used already')
      assertSucceeded(await passSecondStep(service, await passFirstStep(service, owner), { recoveryCode: second }))

      const [mail] = await mailsTo(service, owner.email)
      assert.match(mail?.subject ?? '', /^A recovery code was used/)
      assert.match(mail?.text ?? '', /8 recovery codes are left/)
      assert.ok((await eventTypes(service, owner)).includes('recovery-code.used'))
    })

    it('gives new recovery codes, which replace all others', async () => {
      const owner = await someoneProtected(service)
      const replaced = await post(service, '/api/recovery-codes', undefined, { as: owner })
      assertSucceeded(replaced)
      const { recoveryCodes } = replaced.body.data
      assert.equal(new Set([...recoveryCodes, ...owner.recoveryCodes]).size, 20)
      const challenge = await passFirstStep(service, owner)
      assertRefused(await passSecondStep(service, challenge, { recoveryCode: owner.recoveryCodes[0] as string }), 400)
      assertSucceeded(await passSecondStep(service, challenge, { recoveryCode: recoveryCodes[0] }))
      assert.ok((await eventTypes(service, owner)).includes('recovery-codes.replaced'))
      assert.ok((await subjectsTo(service, owner.email)).includes('Your recovery codes were replaced'))
    })

    it('gives no recovery codes while it is off', async () => {
      const person = await someone(service)
      assertRefused(await post(service, '/api/recovery-codes', undefined, { as: person }), 409)
    })
  })
})
