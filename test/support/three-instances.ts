import assert from 'node:assert/strict'
import { before, describe } from 'node:test'
import { assertRefused, assertSucceeded, del, get, logIn, type Person, post } from './api.ts'
import { suiteCleanUp } from './clean-up.ts'
import { type PorticoProcess, signUpAt, startReady } from './process.ts'
import { ENGINES, temporaryDatabase } from './service.ts'

export interface Instances {
  /** Three processes on one database. */
  all: PorticoProcess[]
  /** A person with a session that the following steps do not end. */
  owner: Person
}

/** Runs the same tests against three processes on SQLite and against three on PostgreSQL. */
export function onThreeInstances(facts: (instances: Instances) => void): void {
  for (const engine of ENGINES) {
    describe(`on ${engine}`, () => {
      const instances = {} as Instances
      const suite = suiteCleanUp()
      before(async () => {
        const env = { ...(await temporaryDatabase(suite, engine)), BASE_URL: 'http://localhost:3000' }
        const start = () => startReady(suite, env)
        instances.all = await Promise.all([start(), start(), start()])
        instances.owner = await signUpAt(at(instances, 0))
      })
      facts(instances)
    })
  }
}

export function at({ all }: Instances, number: number): PorticoProcess {
  const instance = all[number % all.length]
  assert.ok(instance)
  return instance
}

/** Ends sessions, each at another instance and in another way, and checks that every instance refuses them. */
export async function assertRevokedEverywhere(instances: Instances, rounds: number): Promise<void> {
  const { all, owner } = instances
  for (let round = 0; round < rounds; round++) {
    const session = await logIn(at(instances, round), owner)
    // Every instance has accepted the session, so that each one has cached what it caches.
    for (const portico of all) assertSucceeded(await get(portico, '/api/user-details', { as: session }))
    const there = at(instances, Math.floor(round / 3))
    const isRevoked = round % 2 === 0
    const end = isRevoked
      ? del(there, '/api/sessions', { sessionId: session.sessionId }, { as: owner })
      : post(there, '/api/auth/logout', undefined, { as: session })
    assertSucceeded(await end)
    await assertEndedEverywhere(instances, session)
    assertSucceeded(await get(at(instances, round), '/api/user-details', { as: owner }))
  }
}

/** The first request to each instance is refused, and so is the first exchange of the refresh token. */
export async function assertEndedEverywhere({ all }: Instances, session: Person): Promise<void> {
  const reads = await Promise.all(all.map((portico) => get(portico, '/api/user-details', { as: session })))
  for (const response of reads) assertRefused(response, 401)
  const { refreshToken, sessionId } = session
  const headers = { 'x-session-id': sessionId }
  for (const portico of all) {
    assertRefused(await post(portico, '/api/auth/refresh-token', { refreshToken }, { headers }), 401)
  }
}
