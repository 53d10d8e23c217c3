import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, it } from 'node:test'
import { ownProfile, someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, del, get, PASSWORD, type Person, post } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { type Service, startService } from '../support/service.ts'

// Above any delay of a starved machine: writers that time out one after the other would be this far apart.
const TIMEOUT_MS = 5000

describe('a SQLite file that another process has locked', () => {
  let service: Service
  let other: DatabaseSync
  let person: Person
  const suite = suiteCleanUp()
  before(async () => {
    service = await startService('sqlite', {}, { databaseTimeoutMs: TIMEOUT_MS })
    cleanUp(suite, () => service.close())
    person = await someone(service)
    const { database } = service.portico.config
    other = new DatabaseSync(database.engine === 'sqlite' ? database.file : '')
    cleanUp(suite, () => other.close())
  })

  const setBio = (bio: string) => post(service, '/api/user-details', { bio }, { as: person })

  const read = async () => assertSucceeded(await get(service, '/api/user-details', { as: person }))

  /** Reads a profile again and again until the other work is done: reads do not wait for the lock. */
  async function othersAreServedUntil(done: Promise<unknown>): Promise<void> {
    let isDone = false
    const end = done.finally(() => {
      isDone = true
    })
    let served = 0
    for (; !isDone; served++) await read()
    await end
    assert.ok(served > 2, `only ${served} were served`)
  }

  it('delays a write until the lock is released, and no other request', async () => {
    other.exec('begin immediate')
    const written = setBio('in turn')
    for (let reads = 0; reads < 3; reads++) await read()
    other.exec('commit')
    assertSucceeded(await written)
    assert.equal((await ownProfile(service, person)).bio, 'in turn')
  })

  it('makes all writes fail with 503 at the end of one timeout, and accepts writes afterwards', async () => {
    other.exec('begin immediate')
    const ends: number[] = []
    const write = (bio: string) => setBio(bio).finally(() => ends.push(performance.now()))
    const written = Promise.all(['one', 'two', 'three', 'four'].map(write))
    await othersAreServedUntil(written)
    other.exec('commit')
    for (const response of await written) assertRefused(response, 503, 'Service temporarily unavailable')
    const apart = Math.max(...ends) - Math.min(...ends)
    assert.ok(apart < TIMEOUT_MS, `the first and the last response were ${apart} ms apart`)
    assert.equal((await ownProfile(service, person)).bio, 'in turn')
    assertSucceeded(await setBio('free again'))
  })

  it('allows the deletion of an account during a read of another process, and delays no request', async () => {
    const deletedUser = await someone(service)
    other.exec('begin; select count(*) from users')
    const deleted = del(service, '/api/delete-user', { password: PASSWORD }, { as: deletedUser })
    await othersAreServedUntil(deleted)
    other.exec('commit')
    assertSucceeded(await deleted)
  })
})

describe('a SQLite file that another process has locked while calls are counted', () => {
  it('makes every call wait for its count, and loses none', async (t) => {
    const service = await startService('sqlite', { RATE_LIMITS: 'on', RATE_LIMIT_API: '1000/1m' })
    cleanUp(t, () => service.close())
    const person = await someone(service)
    const { database } = service.portico.config
    const other = new DatabaseSync(database.engine === 'sqlite' ? database.file : '')
    cleanUp(t, () => other.close())

    other.exec('begin immediate')
    const calls = Promise.all(Array.from({ length: 50 }, () => get(service, '/api/user-details', { as: person })))
    const health = get(service, '/healthz')
    assert.equal(await Promise.race([calls, health]), await health)
    other.exec('commit')
    const left = (await calls).map((response) => {
      assertSucceeded(response)
      return Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])
    })
    assert.deepEqual(
      left.sort((a, b) => b - a),
      Array.from({ length: 50 }, (_, index) => 999 - index),
    )
  })
})
