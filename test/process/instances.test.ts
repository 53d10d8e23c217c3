import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { assertSucceeded, get, post } from '../support/api.ts'
import { suiteCleanUp, temporaryFolder } from '../support/clean-up.ts'
import { type PorticoProcess, readDatabase, signUpAt, startReady } from '../support/process.ts'
import { ENGINES, temporaryDatabase } from '../support/service.ts'

for (const engine of ENGINES) {
  describe(`two instances that start together on one empty database, on ${engine}`, () => {
    let env: Record<string, string>
    let one: PorticoProcess
    let other: PorticoProcess
    const suite = suiteCleanUp()

    before(async () => {
      env = { ...(await temporaryDatabase(suite, engine)), BASE_URL: 'http://localhost:3000' }
      ;[one, other] = await Promise.all([startReady(suite, env), startReady(suite, env)])
    })

    it('both serve, and share one signing key', async () => {
      for (const portico of [one, other]) assert.equal((await get(portico, '/readyz')).status, 200)
      const keys = await Promise.all([one, other].map((portico) => get(portico, '/.well-known/jwks.json')))
      assert.equal(keys[0]?.body.keys.length, 1)
      assert.deepEqual(keys[0]?.body, keys[1]?.body)
    })

    it('have applied each migration once', async () => {
      const rows = await readDatabase(env, async ({ query }) => ({
        keys: await query.selectFrom('signing_keys').select('kid').execute(),
        secrets: await query.selectFrom('secrets').select('name').execute(),
      }))
      assert.equal(rows.keys.length, 1)
      assert.equal(rows.secrets.length, 2)
    })

    it('accept the tokens of each other', async () => {
      const person = await signUpAt(one)
      assertSucceeded(await get(other, '/api/user-details', { as: person }))
      const headers = { 'x-session-id': person.sessionId }
      const refreshed = await post(other, '/api/auth/refresh-token', { refreshToken: person.refreshToken }, { headers })
      assertSucceeded(refreshed)
      const as = { accessToken: refreshed.body.data.accessToken, sessionId: person.sessionId }
      assertSucceeded(await get(one, '/api/user-details', { as }))
    })
  })
}

describe('threads that open one empty SQLite file at the same moment', () => {
  it('all succeed, and one of them creates the keys', async (t) => {
    const folder = await temporaryFolder(t)
    const siblings = 4
    const files = Array.from({ length: 10 }, (_, round) => join(folder, `${round}.db`))
    const arrived = new Int32Array(new SharedArrayBuffer(4 * files.length))
    const faults = await Promise.all(
      Array.from({ length: siblings }, async () => {
        const code = new URL('./opens-databases.ts', import.meta.url)
        const worker = new Worker(code, { workerData: { files, siblings, arrived } })
        const [found] = await once(worker, 'message')
        return found
      }),
    )
    assert.deepEqual(faults.flat(), [])
    for (const file of files) {
      const database = new DatabaseSync(file, { readOnly: true })
      assert.equal(database.prepare('select count(*) as count from signing_keys').get()?.count, 1)
      database.close()
    }
  })
})
