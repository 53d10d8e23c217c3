import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { get, logIn, PASSWORD, post } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { PageVisitor } from '../support/page-visitor.ts'
import { signUpAt, startReady } from '../support/process.ts'
import { freshDatabase } from '../support/service.ts'

const HOUR_MS = 60 * 60_000

/** Settings of a process whose own clock is off by this much. */
function clockOffBy(milliseconds: number) {
  const code = `const Real = Date
globalThis.Date = class extends Real {
  constructor(...args) { args.length === 0 ? super(Real.now() + ${milliseconds}) : super(...args) }
  static now() { return Real.now() + ${milliseconds} }
}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

// On SQLite the instances share one machine and its clock.
describe('instances on PostgreSQL whose clocks differ by hours', () => {
  it('accept the tokens and cookies of each other, with the usual lifetimes', async (t) => {
    const database = await freshDatabase('postgres')
    cleanUp(t, database.drop)
    const start = async (offsetMs: number) => {
      const env = { ...database.env, BASE_URL: 'http://localhost:3000', ...clockOffBy(offsetMs) }
      const portico = await startReady({ after() {} }, env)
      cleanUp(t, () => portico.stop('SIGKILL'))
      return portico
    }
    const instances = await Promise.all([start(-2 * HOUR_MS), start(2 * HOUR_MS), start(0)])
    const person = await signUpAt(instances[0])
    for (const issuer of instances) {
      const session = await logIn(issuer, person)
      const { iat = 0 } = decodeJwt(session.accessToken)
      assert.ok(Math.abs(iat * 1000 - Date.now()) < 60_000, `issued ${iat * 1000 - Date.now()} ms off`)
      const visitor = new PageVisitor(issuer)
      assert.equal((await visitor.submit('/log-in', 'log-in', { email: person.email, password: PASSWORD })).status, 303)
      const cookie = `portico_session=${visitor.cookies.get('portico_session')}`
      for (const portico of instances) {
        assert.equal((await get(portico, '/api/user-details', { as: session })).status, 200)
        const page = await get(portico, '/account', { headers: { cookie }, redirect: 'manual' })
        assert.equal(page.status, 200)
        assert.equal(page.headers.get('set-cookie'), null, 'a fresh session was prolonged')
      }
      const [other] = instances.filter((portico) => portico !== issuer)
      const headers = { 'x-session-id': session.sessionId }
      const { refreshToken } = session
      assert.ok(other)
      assert.equal((await post(other, '/api/auth/refresh-token', { refreshToken }, { headers })).status, 200)
    }
    const [slow, fast] = await Promise.all(instances.slice(0, 2).map((portico) => get(portico, '/api/user-details')))
    const apart = Date.parse(fast?.body.timestamp) - Date.parse(slow?.body.timestamp)
    assert.ok(apart > 3 * HOUR_MS, 'the clocks of the processes do not differ')
  })
})
