import assert from 'node:assert/strict'
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { crowd } from './accounts.ts'
import type { Person } from './api.ts'
import { cleanUp } from './clean-up.ts'
import { freePort } from './local-servers.ts'
import { report } from './measuring.ts'
import { type PorticoProcess, startProcess } from './process.ts'
import { type ProxyName, type RunningProxy, startProxy } from './proxies.ts'
import { type EngineName, freshDatabase, startOn } from './service.ts'

// No mail server listens at this port: mail stays in the outbox.
const PRODUCTION = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  BASE_URL: 'https://portico.example',
  SMTP_URL: 'smtp://127.0.0.1:9',
  RATE_LIMITS: 'off',
  TRUSTED_PROXIES: '127.0.0.1',
}

// Few enough to leave the processor to the instances: a 503 of an overloaded instance would count as a failure.
const CLIENTS = 4

export interface TwoInstances {
  instances: [PorticoProcess, PorticoProcess]
  /** Stops one instance, waits for its end, starts it again on its port, and waits until the proxies use it. */
  restart(number: 0 | 1): Promise<void>
  /** Stops one worker of the second instance, and waits until a new worker has replaced it. */
  replaceWorker(): Promise<void>
}

interface Load {
  proxies: ProxyName[]
  /** The number of requests through each proxy. More are sent when the action takes longer. */
  leastRequests: number
  /** The pause of a client after each response. */
  pauseMs?: number
}

/**
 * Two production instances on one database behind each of these proxies, all under load. The second instance has two
 * workers. Runs `action` meanwhile, and returns the failures behind each proxy.
 */
export async function underLoad(
  test: TestContext,
  engine: EngineName,
  { proxies: names, leastRequests, pauseMs }: Load,
  action: (instances: TwoInstances) => Promise<void>,
): Promise<LoadResult[]> {
  const database = await freshDatabase(engine)
  cleanUp(test, () => database.drop())
  const env = { ...database.env, ...PRODUCTION }
  const maker = await startOn(env)
  const people = await crowd(maker, names.length * CLIENTS)
  await maker.close()

  const ports: [number, number] = [await freePort(), await freePort()]
  const start = async (number: 0 | 1): Promise<PorticoProcess> => {
    const workers = String(number + 1)
    const portico = await startProcess(test, { ...env, PORT: String(ports[number]), WORKERS: workers })
    cleanUp(test, () => portico.stop('SIGKILL'))
    await portico.logged('Portico is ready at')
    return portico
  }
  const two: TwoInstances = {
    instances: [await start(0), await start(1)],
    async restart(number) {
      assert.equal(await two.instances[number].stop(), 0)
      two.instances[number] = await start(number)
      await Promise.all(proxies.map((proxy) => proxy.bothUp()))
    },
    async replaceWorker() {
      const [, portico] = two.instances
      await portico.logged(/"worker":2,.*Listening on/)
      const [, pid] = /worker 2 is process (\d+)/.exec(portico.output()) ?? []
      process.kill(Number(pid), 'SIGTERM')
      await portico.logged('worker 2 has ended (exit code 0): another one starts at once')
      await portico.logged(/"worker":3,.*Listening on/)
      // The health check of a proxy may have asked the worker that was stopping.
      await Promise.all(proxies.map((proxy) => proxy.bothUp()))
    },
  }
  const proxies = await Promise.all(names.map((name) => startProxy(test, name, ports)))
  const loads = proxies.map((proxy) => startLoad(proxy, people.splice(0, CLIENTS), pauseMs))
  try {
    await action(two)
    while (!loads.every(({ result }) => result.requests >= leastRequests)) await setTimeout(50)
  } finally {
    await Promise.all(loads.map((load) => load.stop()))
  }
  for (const { proxy, requests, writes, failures } of loads.map(({ result }) => result)) {
    report(`${proxy} on ${engine}: ${requests} requests, ${writes} writes, failed: ${JSON.stringify(failures)}`)
  }
  return loads.map(({ result }) => result)
}

export interface LoadResult {
  proxy: ProxyName
  requests: number
  writes: number
  /** The number of requests without a 200 response, by reason. */
  failures: Record<string, number>
}

/** Each client sends reads and writes over a keep-alive connection, one after the other, until the load is stopped. */
function startLoad(
  proxy: RunningProxy,
  people: Person[],
  pauseMs: number | undefined,
): { result: LoadResult; stop(): Promise<void> } {
  const result: LoadResult = { proxy: proxy.name, requests: 0, writes: 0, failures: {} }
  const options = { keepAlive: true, maxSockets: people.length, ca: proxy.certificate }
  const agent = proxy.certificate ? new Agent(options) : new PlainAgent(options)
  let isOver = false
  const fail = (reason: string) => {
    result.failures[reason] = (result.failures[reason] ?? 0) + 1
  }
  const clients = people.map(async (person, client) => {
    for (let number = client; !isOver; number++) {
      const [method, path, body] = REQUESTS[number % REQUESTS.length] as (typeof REQUESTS)[number]
      try {
        const { statusCode, headers } = await send(agent, `${proxy.url}${path}`, method, person, body)
        const origin = headers['x-request-id'] ? 'an instance' : proxy.name
        if (statusCode !== 200) fail(`${method} ${path}: ${statusCode} of ${origin}`)
        else if (method === 'POST') result.writes += 1
      } catch (error) {
        fail(`${method} ${path}: ${(error as Error).message}`)
      }
      result.requests += 1
      if (pauseMs) await setTimeout(pauseMs)
    }
  })
  return {
    result,
    async stop() {
      isOver = true
      await Promise.all(clients)
      agent.destroy()
    },
  }
}

const REQUESTS: [method: string, path: string, body?: string][] = [
  ['GET', '/api/user-details'],
  ['POST', '/api/user-details', JSON.stringify({ bio: 'still here' })],
  ['GET', '/feed.xml'],
  ['POST', '/api/user-details', JSON.stringify({ location: { city: 'London' } })],
  ['GET', '/healthz'],
]

function send(agent: PlainAgent, url: string, method: string, { accessToken, sessionId }: Person, body?: string) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = {
    authorization: `Bearer ${accessToken}`,
    'x-session-id': sessionId,
    ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  const open = url.startsWith('https:') ? request : plainRequest
  const call = open(url, { agent, method, headers }, (response: IncomingMessage) =>
    buffer(response).then(() => resolve(response), reject),
  )
  call.on('error', reject).end(body)
  return promise
}
