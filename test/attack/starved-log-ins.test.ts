import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { before, describe, it, type TestContext } from 'node:test'
import { hashesStarted } from '../../src/accounts/password-hash.ts'
import type { CountedRequest, Counter } from '../../src/http/rate-limit.ts'
import { crowd, tryLogIn } from '../support/accounts.ts'
import { assertHandled, assertSucceeded, newEmail, PASSWORD, type Person } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { failLogIn, from, LIMITED, newAddress, WRONG_PASSWORD } from '../support/rate-limits.ts'
import { head } from '../support/raw-http.ts'
import { type Service, startService } from '../support/service.ts'
import { eventually } from '../support/site.ts'
import { withRealHashes } from '../support/test-speed.ts'

const FLOOD_SIZE = 60
const NETWORKS = 24
// The hashes that the threads have already begun, and those that begin while the owner's response is prepared.
const HASHES_IN_FLIGHT = 2 * Math.min(availableParallelism(), 16)
const HASHES_MEANWHILE = 8

// The owner's waiting time depends on the machine. The number of hashes before the owner's does not. The queue of hashes
// is the same on both engines.
describe("the owner's log-in, during a flood of log-ins, is served", () => {
  withRealHashes()
  const suite = suiteCleanUp()
  let service: Service
  let people: Person[]
  before(async () => {
    service = await startService('sqlite', LIMITED)
    cleanUp(suite, () => service.close())
    people = await crowd(service, 3)
  })

  /** Logs in from another address while the queue is full, and returns how many other hashes began meanwhile. */
  async function hashesBesideOwner(
    t: TestContext,
    owner: Person,
    addressOf: (number: number) => string,
  ): Promise<number> {
    const allArrived = arrivalOf(t, FLOOD_SIZE)
    const flood = Array.from({ length: FLOOD_SIZE }, (_, number) =>
      failLogIn(service, newEmail(), from(addressOf(number))),
    )
    const responses = Promise.all(flood)
    await allArrived
    const begun = hashesStarted()
    assertSucceeded(await tryLogIn(service, owner.email, PASSWORD, from(newAddress())))
    const beside = hashesStarted() - begun
    for (const response of await responses) assertHandled(response, [401, 503])
    return beside
  }

  /** Resolves when this many log-ins have been counted, which is the last step before their hash is queued. */
  async function arrivalOf(t: TestContext, count: number): Promise<void> {
    const { limits } = service.portico
    const { take } = limits
    const { promise, resolve } = Promise.withResolvers<void>()
    let arrived = 0
    t.mock.method(limits, 'take', async (request: CountedRequest, ...counters: Counter[]) => {
      await take(request, ...counters)
      arrived += counters.some(({ limit }) => limit === 'login') ? 1 : 0
      if (arrived === count) resolve()
    })
    await promise
    t.mock.restoreAll()
  }

  it('after one of each of 24 networks at most', async (t) => {
    const networks = Array.from({ length: NETWORKS }, newAddress)
    const beside = await hashesBesideOwner(t, people[0] as Person, (number) => networks[number % NETWORKS] as string)
    assert.ok(beside <= NETWORKS + HASHES_IN_FLIGHT + HASHES_MEANWHILE, `${beside} hashes`)
  })

  it('after one of an IPv6 /56, however many addresses it has', async (t) => {
    const address = (number: number) => `2001:db8:5600:12${number.toString(16).padStart(2, '0')}::1`
    const beside = await hashesBesideOwner(t, people[1] as Person, address)
    assert.ok(beside <= 1 + HASHES_IN_FLIGHT + HASHES_MEANWHILE, `${beside} hashes`)
  })

  it('after none of 256 clients that have disconnected', async (t) => {
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
    assert.ok(beside <= 1 + HASHES_IN_FLIGHT + HASHES_MEANWHILE, `${beside} hashes`)
  })

  /** The server-side sockets of the requests. */
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
})
