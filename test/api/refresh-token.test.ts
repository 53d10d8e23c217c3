import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { assertAlive, assertEnded, refreshed, tryRefresh } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  eventTypes,
  fieldsOf,
  logIn,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { forgedRefreshToken, signedRefreshToken } from '../support/forged-tokens.ts'
import { onBothEngines } from '../support/service.ts'

const INVALID = 'Invalid or expired refresh token'

describe('refresh-token', () => {
  onBothEngines((service) => {
    const send = (body: unknown, headers: Record<string, string>) =>
      post(service, '/api/auth/refresh-token', body, { headers })

    it('issues new tokens that work, with only id and e-mail address of the user', async () => {
      const person = await signUp(service)
      const response = await tryRefresh(service, person)
      assertSucceeded(response)
      const { accessToken, refreshToken, user, ...others } = response.body.data
      assert.deepEqual(others, {})
      assert.deepEqual(user, { userId: person.userId, email: person.email })
      assert.notEqual(accessToken, person.accessToken)
      assert.notEqual(refreshToken, person.refreshToken)
      await assertAlive(service, { ...person, accessToken })
      await refreshed(service, { ...person, refreshToken })
    })

    it('works from token to token, and the session stays the same', async () => {
      const person = await signUp(service)
      let current = person
      for (let round = 0; round < 5; round++) {
        await service.advanceTime({ minutes: 15 })
        current = await refreshed(service, current)
        await assertAlive(service, current)
      }
      assert.equal(decodeJwt(current.accessToken).sid, person.sessionId)
      assert.ok(!(await eventTypes(service, current)).includes('session.token-reused'))
    })

    it('works until 30 days after the last exchange', async () => {
      let person = await signUp(service)
      for (let month = 0; month < 3; month++) {
        await service.advanceTime({ days: 29, hours: 23 })
        person = await refreshed(service, person)
      }
      await service.advanceTime({ days: 30, seconds: 1 })
      assertRefused(await tryRefresh(service, person), 401, INVALID)
      await assertEnded(service, person)
      const later = await logIn(service, person)
      assert.ok(!(await eventTypes(service, later)).includes('session.token-reused'))
    })

    describe('of a live session', () => {
      let person: Person
      let other: Person
      let otherUser: Person
      before(async () => {
        person = await signUp(service)
        other = await logIn(service, person)
        otherUser = await signUp(service)
      })
      /** After a refusal the session is unchanged. */
      async function assertUnharmed() {
        for (const each of [person, other, otherUser]) await assertAlive(service, each)
        const { query } = service.portico.database
        const rotated = await query
          .selectFrom('sessions')
          .select('id')
          .where('id', 'in', [person.sessionId, other.sessionId, otherUser.sessionId])
          .where('previous_refresh_id', 'is not', null)
          .execute()
        assert.deepEqual(rotated, [])
      }

      for (const headers of [{}, { 'x-session-id': '' }]) {
        it(`requires the session header when it gets ${JSON.stringify(headers)}`, async () => {
          const response = await send({ refreshToken: person.refreshToken }, headers as Record<string, string>)
          assertRefused(response, 400, 'Validation failed')
          assert.deepEqual(Object.keys(fieldsOf(response)), ['x-session-id'])
          await assertUnharmed()
        })
      }

      for (const value of [undefined, null, '', 7, ['token'], { $ne: 1 }]) {
        it(`refuses ${JSON.stringify(value) ?? 'nothing'} as a refresh token`, async () => {
          const response = await send({ refreshToken: value }, { 'x-session-id': person.sessionId })
          assertRefused(response, 400, 'Validation failed')
          assert.deepEqual(Object.keys(fieldsOf(response)), ['refreshToken'])
          await assertUnharmed()
        })
      }

      const wrong: [string, () => Partial<Person> | Promise<Partial<Person>>][] = [
        ['the header of another session', () => ({ sessionId: other.sessionId })],
        ["the header of another user's session", () => ({ sessionId: otherUser.sessionId })],
        ['the header of no session', () => ({ sessionId: randomUUID() })],
        ['the header twice', () => ({ sessionId: `${person.sessionId}, ${person.sessionId}` })],
        ['the token of another session', () => ({ refreshToken: other.refreshToken })],
        ["another user's token", () => ({ refreshToken: otherUser.refreshToken })],
        ['the access token', () => ({ refreshToken: person.accessToken })],
        ['text that is no token', () => ({ refreshToken: 'token' })],
        ['a token of 10,000 characters', () => ({ refreshToken: 'a'.repeat(10_000) })],
        ['a token with another signature', () => ({ refreshToken: `${person.refreshToken.slice(0, -10)}AAAAAAAAAA` })],
        ['a token that has expired', async () => ({ refreshToken: await forgedRefresh({ exp: 1_700_000_000 }) })],
        [
          'a token for another site',
          async () => ({ refreshToken: await forgedRefresh({ aud: 'https://example.com' }) }),
        ],
        [
          'a token of another issuer',
          async () => ({ refreshToken: await forgedRefresh({ iss: 'https://example.com' }) }),
        ],
        ['a token of another owner', async () => ({ refreshToken: await forgedRefresh({ sub: otherUser.userId }) })],
        [
          'a signed token of the version before that has expired',
          async () => ({ refreshToken: await signedRefresh({ exp: 1_700_000_000 }) }),
        ],
        [
          'a signed token of the version before for another site',
          async () => ({ refreshToken: await signedRefresh({ aud: 'https://example.com' }) }),
        ],
      ]
      const forgedRefresh = (claims: Record<string, unknown>) => forgedRefreshToken(service, person, { claims })
      const signedRefresh = (claims: Record<string, unknown>) => signedRefreshToken(service, person, claims)
      for (const [what, change] of wrong) {
        it(`refuses ${what}, without effect on the session`, async () => {
          assertRefused(await tryRefresh(service, { ...person, ...(await change()) }), 401, INVALID)
          await assertUnharmed()
        })
      }

      it('accepts a token without any of these defects', async () => {
        await refreshed(service, { ...person, refreshToken: await forgedRefresh({}) })
      })

      it('accepts a token that the previous version has signed, and issues one with a MAC', async () => {
        const { refreshToken } = await refreshed(service, {
          ...other,
          refreshToken: await signedRefreshToken(service, other),
        })
        assert.deepEqual(decodeProtectedHeader(refreshToken).alg, 'HS256')
      })
    })
  })
})
