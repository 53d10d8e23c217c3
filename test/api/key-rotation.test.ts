import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { decodeProtectedHeader } from 'jose'
import { openKeyRing } from '../../src/sessions/key-ring.ts'
import { assertAlive, refreshed, someone } from '../support/accounts.ts'
import { get, logIn } from '../support/api.ts'
import { runProgram } from '../support/child.ts'
import { cleanUp } from '../support/clean-up.ts'
import { ENGINES, type Service, startOn, temporaryDatabase } from '../support/service.ts'

const PORTICO = join(import.meta.dirname, '../../src/main.js')

const kidOf = (token: string) => decodeProtectedHeader(token).kid
async function publishedKids(service: Service): Promise<string[]> {
  const { body } = await get(service, '/.well-known/jwks.json')
  return body.keys.map(({ kid }: { kid: string }) => kid)
}

/** The task that a running instance repeats every minute. */
async function aMinutePasses(service: Service): Promise<void> {
  await service.advanceTime({ seconds: 61 })
  await service.portico.keys.reload()
}

describe('portico keys rotate', () => {
  for (const engine of ENGINES) {
    describe(`on ${engine}`, () => {
      async function stage(t: TestContext) {
        const env = await temporaryDatabase(t, engine)
        return {
          async start(): Promise<Service> {
            const service = await startOn(env)
            cleanUp(t, () => service.close())
            return service
          },
          /** Runs the command like an operator, beside the running service. */
          async rotate(): Promise<string> {
            const { NODE_COMPILE_CACHE } = process.env
            const options = { env: { ...env, NODE_COMPILE_CACHE }, cwd: env.DATA_DIR }
            const printed = await runProgram(t, process.execPath, [PORTICO, 'keys', 'rotate'], options)
            return /signed with key ([\w-]+)/.exec(printed)?.[1] ?? ''
          },
        }
      }

      it('creates a key that issues MACs no sooner than the keys before it', async (t) => {
        const { start, rotate } = await stage(t)
        const service = await start()
        const person = await someone(service)
        const { query, now } = service.portico.database
        await query
          .updateTable('signing_keys')
          .set((eb) => ({ macs_from: eb(now, '+', 60 * 60_000) }))
          .execute()
        const newKid = await rotate()
        await aMinutePasses(service)
        await aMinutePasses(service)
        const { alg, kid } = decodeProtectedHeader((await refreshed(service, person)).refreshToken)
        assert.deepEqual({ alg, kid }, { alg: 'EdDSA', kid: newKid })
      })

      it('loads unknown key ids by one query, however many arrive at once', async (t) => {
        const { start } = await stage(t)
        const { database } = (await start()).portico
        let queries = 0
        const query = new Proxy(database.query, {
          get(target, name) {
            if (name === 'selectFrom') queries += 1
            const value = Reflect.get(target, name)
            return typeof value === 'function' ? value.bind(target) : value
          },
        })
        const keys = await openKeyRing({ ...database, query })
        const findMany = () => Promise.all(Array.from({ length: 100 }, (_, number) => keys.find(`unknown-${number}`)))
        // The interval between two loads is one second. It has passed, and then the clock is stopped.
        const laterMs = performance.now() + 1000
        t.mock.method(performance, 'now', () => laterMs)
        assert.deepEqual(new Set(await findMany()), new Set([undefined]))
        await findMany()
        assert.equal(queries, 2)
      })

      it('rejects unknown key ids after a failed load, with one query a second', async (t) => {
        const { start } = await stage(t)
        const { database } = (await start()).portico
        let [queries, isGone] = [0, false]
        const query = new Proxy(database.query, {
          get(target, name) {
            if (name === 'selectFrom') {
              queries += 1
              if (isGone) throw new Error('the database is gone')
            }
            const value = Reflect.get(target, name)
            return typeof value === 'function' ? value.bind(target) : value
          },
        })
        const keys = await openKeyRing({ ...database, query })
        const find = async () => keys.find('unknown')
        let nowMs = performance.now() + 1000
        t.mock.method(performance, 'now', () => nowMs)
        isGone = true
        // Undefined would mean that there is no such key, and a valid token of a new key would get 401.
        for (let tries = 0; tries < 3; tries++) await assert.rejects(find, /the database is gone/)
        assert.equal(queries, 2)
        isGone = false
        await assert.rejects(find, /the database is gone/)
        nowMs += 1000
        assert.equal(await find(), undefined)
        assert.equal(await find(), undefined)
        assert.equal(queries, 3)
      })

      it('signs new tokens with a new key and ends no session', async (t) => {
        const { start, rotate } = await stage(t)
        const service = await start()
        const person = await someone(service)
        const oldKid = kidOf(person.accessToken) ?? ''
        assert.deepEqual(await publishedKids(service), [oldKid])

        const newKid = await rotate()
        await aMinutePasses(service)
        assert.notEqual(newKid, oldKid)
        assert.deepEqual((await publishedKids(service)).sort(), [oldKid, newKid].sort())
        await assertAlive(service, person)
        const next = await refreshed(service, person)
        assert.deepEqual([kidOf(next.accessToken), kidOf(next.refreshToken)], [newKid, newKid])
        await assertAlive(service, next)
        await assertAlive(service, person)
        assert.equal(kidOf((await logIn(service, person)).accessToken), newKid)
      })

      it('keeps tokens of the old key valid across a restart and several rotations', async (t) => {
        const { start, rotate } = await stage(t)
        const first = await start()
        const person = await someone(first)
        const kids = []
        for (const rotation of [rotate, rotate]) {
          kids.push(await rotation())
          await aMinutePasses(first)
        }
        const second = await start()
        await assertAlive(second, person)
        assert.equal(kidOf((await refreshed(second, person)).accessToken), kids[1])
        assert.equal((await publishedKids(second)).length, 3)
      })

      it('publishes a new key before any token is signed with it', async (t) => {
        const { start, rotate } = await stage(t)
        const first = await start()
        const person = await someone(first)
        const newKid = await rotate()
        const second = await start()
        assert.ok((await publishedKids(second)).includes(newKid))
        assert.equal(kidOf((await logIn(second, person)).accessToken), kidOf(person.accessToken))
      })

      it('reaches an instance that has not loaded the new key with the first token of that key', async (t) => {
        const { start, rotate } = await stage(t)
        const outdated = await start()
        const person = await someone(outdated)
        const newKid = await rotate()
        await outdated.advanceTime({ seconds: 61 })
        const updated = await start()
        const session = await logIn(updated, person)
        assert.equal(kidOf(session.accessToken), newKid)
        // An instance loads unknown keys at most once a second.
        await setTimeout(1000)
        await assertAlive(outdated, session)
        await refreshed(outdated, session)
      })
    })
  }
})
