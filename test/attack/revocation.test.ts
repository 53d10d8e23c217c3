import { describe, it } from 'node:test'
import { NEW_PASSWORD } from '../support/account-steps.ts'
import { del, get, logIn, type Person, post } from '../support/api.ts'
import { assertSucceeded } from '../support/envelope.ts'
import { codeThere, signUpThere } from '../support/process.ts'
import {
  assertEndedEverywhere,
  assertRevokedEverywhere,
  at,
  type Instances,
  onThreeInstances,
} from '../support/three-instances.ts'

const ROUNDS = 12

describe('a session that was ended at one of three instances', () => {
  onThreeInstances((instances) => {
    it(`is refused by the first request to each, ${ROUNDS} times`, () => assertRevokedEverywhere(instances, ROUNDS))

    it('is refused when the account was deleted', async () => {
      const { person, other } = await twoSessions(instances)
      assertSucceeded(await del(at(instances, 2), '/api/delete-user', { password: person.password }, { as: person }))
      for (const session of [person, other]) await assertEndedEverywhere(instances, session)
    })

    it('is refused when the password was reset', async () => {
      const { person, other } = await twoSessions(instances)
      const { email } = person
      assertSucceeded(await post(at(instances, 1), '/api/forgot-password', { email }))
      const resetToken = await codeThere(at(instances, 1), email, 'Reset your password')
      const body = { email, resetToken, password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
      assertSucceeded(await post(at(instances, 2), '/api/reset-password', body))
      for (const session of [person, other]) await assertEndedEverywhere(instances, session)
    })

    it('is refused when the password was changed, and the session that changed it lives on', async () => {
      const { person, other } = await twoSessions(instances)
      const body = { currentPassword: person.password, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
      assertSucceeded(await post(at(instances, 1), '/api/change-password', body, { as: person }))
      await assertEndedEverywhere(instances, other)
      for (const portico of instances.all) assertSucceeded(await get(portico, '/api/user-details', { as: person }))
    })
  })
})

/** Two sessions of somebody new, which every instance has seen alive. */
async function twoSessions(instances: Instances): Promise<{ person: Person; other: Person }> {
  const person = await signUpThere(at(instances, 0))
  const other = await logIn(at(instances, 1), person)
  for (const portico of instances.all) {
    for (const as of [person, other]) assertSucceeded(await get(portico, '/api/user-details', { as }))
  }
  return { person, other }
}
