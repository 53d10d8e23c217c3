import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { assertAlive, refreshed, someone } from '../support/accounts.ts'
import { cleanUp } from '../support/clean-up.ts'
import { signedRefreshToken } from '../support/forged-tokens.ts'
import { undoCheapRefresh } from '../support/older-versions.ts'
import { logInOnPages } from '../support/page-visitor.ts'
import { ENGINES, startOn, temporaryDatabase } from '../support/service.ts'

const algOf = (token = '') => decodeProtectedHeader(token).alg

describe('an upgrade from a version without MACs', () => {
  for (const engine of ENGINES) {
    it(`signs tokens for the previous version for an hour, and ends no session, on ${engine}`, async (t) => {
      const env = await temporaryDatabase(t, engine)
      const before = await startOn(env)
      const person = await someone(before)
      person.refreshToken = await signedRefreshToken(before, person)
      await undoCheapRefresh(before)
      await before.close()

      const after = await startOn(env)
      cleanUp(t, () => after.close())
      const first = await refreshed(after, person)
      assert.equal(algOf(first.refreshToken), 'EdDSA')
      const visitor = await logInOnPages(after, person.email)
      assert.equal(algOf(visitor.cookies.get('portico_session')), 'EdDSA')

      await after.advanceTime({ minutes: 59 })
      await after.portico.keys.reload()
      const second = await refreshed(after, first)
      assert.equal(algOf(second.refreshToken), 'EdDSA')

      await after.advanceTime({ minutes: 2 })
      await after.portico.keys.reload()
      const third = await refreshed(after, second)
      assert.equal(algOf(third.refreshToken), 'HS256')
      assert.equal(algOf(third.accessToken), 'EdDSA')
      await assertAlive(after, third)
      assert.equal((await visitor.get('/account')).status, 200)
      const fourth = await refreshed(after, third)
      assert.equal(algOf(fourth.refreshToken), 'HS256')
    })
  }
})
