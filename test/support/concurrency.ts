import assert from 'node:assert/strict'
import { before, describe, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Tx } from '../../src/database/engine.ts'
import { assertRefused, assertSucceeded, del, get, logIn, type Person, post } from './api.ts'
import { suiteCleanUp } from './clean-up.ts'
import { type PorticoProcess, signUpAt, startReady } from './process.ts'
import { ENGINES, type EngineName, type Service, temporaryDatabase } from './service.ts'

/**
 * Two transactions. The second one starts when the first has done its work and not committed. The first is a function
 * of the test that gets a transaction, or a request that begins one. It commits when the second waits for it. Before
 * that it may do other work.
 */
export async function runOverlapping<First, Second>(
  { mock }: TestContext,
  { service, engine }: { service: Service; engine: EngineName },
  first: ((tx: Tx) => Promise<First>) | (() => Promise<First>),
  second: () => Promise<Second>,
  beforeCommit: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<[First, Second]> {
  const { database } = service.portico
  const { transaction } = database
  const isDone = Promise.withResolvers<void>()
  const delayedTransaction: typeof transaction = (work) =>
    transaction(async (tx) => {
      const result = await work(tx)
      isDone.resolve()
      // On SQLite a writer waits for the write lock before it reads.
      await (engine === 'postgres' ? untilLockIsAwaited(service) : loopIterations())
      await beforeCommit(tx)
      return result
    })
  mock.method(database, 'transaction', delayedTransaction, { times: 1 })
  const begun = first.length === 1 ? database.transaction(first) : (first as () => Promise<First>)()
  await Promise.race([isDone.promise, begun])
  return Promise.all([begun, second()])
}

/** Resolves when a transaction on PostgreSQL waits for the lock of another. */
export async function untilLockIsAwaited({ portico: { database } }: Service): Promise<void> {
  const deadline = Date.now() + 60_000
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await waiting.execute(database.query)).rows.length === 0) {
    if (Date.now() > deadline) throw new Error('no transaction waits for a lock')
    await setTimeout(5)
  }
}

/** Enough iterations of the event loop for all work that waits for nothing else. */
export async function loopIterations(): Promise<void> {
  for (let iteration = 0; iteration < 20; iteration++) await new Promise(setImmediate)
}

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
