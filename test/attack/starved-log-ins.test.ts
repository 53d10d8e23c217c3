import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { before, describe, it, type TestContext } from 'node:test'
import { hashesStarted } from '../../src/accounts/password.ts'
import type { Counter } from '../../src/http/limits.ts'
import { crowd, tryLogIn } from '../support/accounts.ts'
import { assertAnswered, assertSucceeded, head, newEmail, PASSWORD, type Person } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { failLogIn, from, LIMITED, newAddress, WRONG_PASSWORD } from '../support/rate-limits.ts'
import { onBothEngines } from '../support/service.ts'
import { eventually } from '../support/site.ts'

const STORM = 90
const NETWORKS = 24
// What the threads have been given already, and what else begins while the owner is answered.
const IN_FLIGHT = 2 * Math.min(availableParallelism(), 16)
const MEANWHILE = 8

// How long the owner waits is a matter of the machine; how many hashes of others come first is not.
describe('while strangers ask for many passwords to be checked, the owner is answered', () => {
  onBothEngines((service) => {
    let people: Person[]
    before(async () => {
      people = await crowd(service, 3)
    })

    /** Logs in from elsewhere while the queue is full of others, and returns how many hashes began meanwhile. */
    async function hashesBesideOwner(
      t: TestContext,
      owner: Person,
      addressOf: (number: number) => string,
    ): Promise<number> {
      const allArrived = arrivalOf(t, STORM)
      const storm = Array.from({ length: STORM }, (_, number) =>
        failLogIn(service, newEmail(), from(addressOf(number))),
      )
      const answered = Promise.all(storm)
      await allArrived
      const begun = hashesStarted()
      assertSucceeded(await tryLogIn(service, owner.email, PASSWORD, from(newAddress())))
      const beside = hashesStarted() - begun
      for (const response of await answered) assertAnswered(response, [401, 503])
      return beside
    }

    /** Resolves when so many log-ins have been counted, which is the last thing before their hash is queued. */
    async function arrivalOf(t: TestContext, count: number): Promise<void> {
      const { limits } = service.portico
      const { take } = limits
      const { promise, resolve } = Promise.withResolvers<void>()
      let arrived = 0
      t.mock.method(limits, 'take', async (...counters: Counter[]) => {
        const headers = await take(...counters)
        arrived += counters.some(({ limit }) => limit === 'login') ? 1 : 0
        if (arrived === count) resolve()
        return headers
      })
      await promise
      t.mock.restoreAll()
    }

    it('after one of each of 24 networks at most', async (t) => {
      const networks = Array.from({ length: NETWORKS }, newAddress)
      const beside = await hashesBesideOwner(t, people[0] as Person, (number) => networks[number % NETWORKS] as string)
      assert.ok(beside <= NETWORKS + IN_FLIGHT + MEANWHILE, `${beside} hashes`)
    })

    it('after one of an IPv6 /56, however many addresses it has', async (t) => {
      const address = (number: number) => `2001:db8:5600:12${number.toString(16).padStart(2, '0')}::1`
      const beside = await hashesBesideOwner(t, people[1] as Person, address)
      assert.ok(beside <= 1 + IN_FLIGHT + MEANWHILE, `${beside} hashes`)
    })

    it('after none of 256 clients that have left', async (t) => {
      const owner = people[2] as Person
      const allArrived = arrivalOf(t, 256)
      const connections = acceptedBy(t)
      const left = await Promise.all(Array.from({ length: 256 }, (_, number) => leavingClient(number)))
      await allArrived
      for (const socket of left) socket.destroy()
      assert.equal(connections.length, 256)
      await eventually(async () => assert.ok(connections.every((socket) => socket.readableEnded || socket.destroyed)))
      const begun = hashesStarted()
      assertSucceeded(await tryLogIn(service, owner.email, PASSWORD, from(newAddress())))
      const beside = hashesStarted() - begun
      assert.ok(beside <= 1 + IN_FLIGHT + MEANWHILE, `${beside} hashes`)
    })

    /** The service's sides of the connections that requests come from. */
    function acceptedBy(t: TestContext): Socket[] {
      const accepted: Socket[] = []
      const note = (message: unknown) => accepted.push((message as { socket: Socket }).socket)
      subscribe('http.server.request.start', note)
      cleanUp(t, () => unsubscribe('http.server.request.start', note))
      return accepted
    }

    /** A client that has sent a log-in, each from another network. */
    async function leavingClient(number: number) {
      const body = JSON.stringify({ email: newEmail(), password: WRONG_PASSWORD })
      const lines = ['Host: x', 'Content-Type: application/json', `Content-Length: ${body.length}`]
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
      await once(socket, 'connect')
      socket.write(head('POST /api/log-in HTTP/1.1', ...lines, `X-Forwarded-For: 10.1.${number}.1`) + body)
      return socket
    }
  }, LIMITED)
})
