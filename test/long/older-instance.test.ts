import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { call, get, logIn, type Person, post } from '../support/api.ts'
import { report } from '../support/measuring.ts'
import { checkOutRelease, startRelease } from '../support/older-versions.ts'
import { signUpAt, startReady } from '../support/process.ts'
import { ENGINES, temporaryDatabase } from '../support/service.ts'
import { releasedTags } from '../support/upgrade-fixtures.ts'

// Rounds of requests to the older instance after the newer one is ready.
const ROUNDS_BESIDE = 100

interface Load {
  rounds: number
  failures: string[]
  stop(): Promise<void>
}

/** Logs in, reads and refreshes at an instance, again and again. */
function startLoad(instance: { url: string }, person: Person): Load {
  let isOver = false
  const load: Load = {
    rounds: 0,
    failures: [],
    async stop() {
      isOver = true
      await running
    },
  }
  const expect = async (method: string, path: string, body: unknown, as?: Person) => {
    const response = await call(instance, method, path, body, { as })
    if (response.status !== 200) load.failures.push(`${method} ${path}: ${response.status} ${response.body.message}`)
    return response
  }
  const running = (async () => {
    while (!isOver) {
      const session = await logIn(instance, person)
      await expect('GET', '/api/user-details', undefined, session)
      await expect('POST', '/api/user-details', { bio: 'still here' }, session)
      await expect('POST', '/api/auth/refresh-token', { refreshToken: session.refreshToken }, session)
      await expect('POST', '/api/auth/logout', undefined, session)
      load.rounds += 1
    }
  })()
  return load
}

async function assertAcceptedAt(instance: { url: string }, person: Person): Promise<Person> {
  assert.equal((await get(instance, '/api/sessions', { as: person })).status, 200)
  const { refreshToken } = person
  const { status, body } = await post(instance, '/api/auth/refresh-token', { refreshToken }, { as: person })
  assert.equal(status, 200, JSON.stringify(body))
  return { ...person, ...body.data }
}

for (const tag of releasedTags()) {
  describe(`an instance of ${tag}`, () => {
    for (const engine of ENGINES) {
      it(`serves without a failure while this version migrates the database and serves beside it, on ${engine}`, async (t) => {
        const folder = await checkOutRelease(t, tag)
        const env = {
          ...(await temporaryDatabase(t, engine)),
          BASE_URL: 'http://localhost:3000',
          NODE_ENV: 'development',
        }
        const older = await startRelease(t, folder, env)
        const person = await signUpAt(older)
        const load = startLoad(older, person)
        const newer = await startReady(t, env)
        const roundsBefore = load.rounds
        while (load.rounds < roundsBefore + ROUNDS_BESIDE) await get(newer, '/api/sessions', { as: person })
        await load.stop()
        assert.deepEqual(load.failures, [])
        report(`${load.rounds} rounds of five requests at ${tag}, ${ROUNDS_BESIDE} of them beside this version`)

        const fromOlder = await assertAcceptedAt(newer, await logIn(older, person))
        await assertAcceptedAt(older, fromOlder)
        const fromNewer = await assertAcceptedAt(older, await logIn(newer, person))
        await older.stop()
        await assertAcceptedAt(newer, fromNewer)
        await assertAcceptedAt(newer, person)
      })
    }
  })
}
