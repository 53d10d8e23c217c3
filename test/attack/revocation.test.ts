import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { CountedRequest, Counter } from '../../src/http/rate-limit.ts'
import { NEW_PASSWORD } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  del,
  get,
  logIn,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import {
  assertEndedEverywhere,
  assertRevokedEverywhere,
  at,
  type Instances,
  onThreeInstances,
} from '../support/concurrency.ts'
import { picturesOf, upload } from '../support/pictures.ts'
import { codeAt, signUpAt } from '../support/process.ts'
import { onBothEngines, type Service } from '../support/service.ts'

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
      const resetToken = await codeAt(at(instances, 1), email, 'Reset your password')
      const body = { email, resetToken, password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
      assertSucceeded(await post(at(instances, 2), '/api/reset-password', body))
      for (const session of [person, other]) await assertEndedEverywhere(instances, session)
    })

    it('is refused when the password was changed, except the session that changed it', async () => {
      const { person, other } = await twoSessions(instances)
      const body = { currentPassword: person.password, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
      assertSucceeded(await post(at(instances, 1), '/api/change-password', body, { as: person }))
      await assertEndedEverywhere(instances, other)
      for (const portico of instances.all) assertSucceeded(await get(portico, '/api/user-details', { as: person }))
    })
  })
})

describe('a session that is revoked during its request', () => {
  onBothEngines((service) => {
    const WRITES: Record<string, (as: Person) => Promise<ApiResponse>> = {
      'the profile': (as) => post(service, '/api/user-details', { bio: 'stolen' }, { as }),
      'the username': (as) => post(service, '/api/change-username', { username: `stolen-${Date.now()}` }, { as }),
      'the avatar': (as) => post(service, '/api/upload-avatar', { avatar: 'https://example.com/stolen.png' }, { as }),
      'a picture': (as) => upload(service, as),
      'the password': (as) =>
        post(
          service,
          '/api/change-password',
          { currentPassword: as.password, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD },
          { as },
        ),
      'the account': (as) => del(service, '/api/delete-user', { password: as.password }, { as }),
    }
    for (const [what, write] of Object.entries(WRITES)) {
      it(`changes nothing: ${what}`, async (t) => {
        const person = await signUp(service)
        const other = await logIn(service, person)
        const before = await get(service, '/api/user-details', { as: person })
        revokedOnceAdmitted(t, service, other.sessionId)
        assertRefused(await write(other), 401)
        const after = await get(service, '/api/user-details', { as: person })
        assert.deepEqual(after.body.data, before.body.data)
        assert.deepEqual(await picturesOf(service, person), { used: [], unused: [] })
        assertSucceeded(await post(service, '/api/log-in', { email: person.email, password: person.password }))
      })
    }
  })
})

/** The rate limit is the last step of a request before its operation begins. */
function revokedOnceAdmitted(t: TestContext, { portico: { limits, database } }: Service, sessionId: string): void {
  const { take } = limits
  t.mock.method(limits, 'take', async (request: CountedRequest, ...counters: Counter[]) => {
    if (counters.some(({ limit, subject }) => limit === 'api' && subject[1] === sessionId)) {
      t.mock.restoreAll()
      await database.query
        .updateTable('sessions')
        .set({ revoked_at: database.now })
        .where('id', '=', sessionId)
        .execute()
    }
    return take(request, ...counters)
  })
}

/** Two sessions of a new account, which every instance has accepted once. */
async function twoSessions(instances: Instances): Promise<{ person: Person; other: Person }> {
  const person = await signUpAt(at(instances, 0))
  const other = await logIn(at(instances, 1), person)
  for (const portico of instances.all) {
    for (const as of [person, other]) assertSucceeded(await get(portico, '/api/user-details', { as }))
  }
  return { person, other }
}
