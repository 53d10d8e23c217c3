import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { crowd } from './accounts.ts'
import type { Person } from './api.ts'
import { startChild } from './child.ts'
import { type CleanedUp, cleanUp, temporaryFolder } from './clean-up.ts'
import { ensureInstalled } from './debian-package.ts'
import { freePort } from './free-port.ts'
import { nginxArguments } from './nginx.ts'
import { type PorticoProcess, startProcess } from './process.ts'
import { report } from './progress.ts'
import { type EngineName, freshDatabase, startOn } from './service.ts'
import { eventually } from './site.ts'

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

/**
 * Two production instances on one database behind nginx and behind HAProxy, both under load. The second instance has
 * two workers. Runs `action` meanwhile, and returns the results of the load.
 */
export async function underLoad(
  test: TestContext,
  engine: EngineName,
  leastRequests: number,
  action: (instances: TwoInstances) => Promise<void>,
): Promise<Record<ProxyName, LoadResult>> {
  const database = await freshDatabase(engine)
  cleanUp(test, () => database.drop())
  const env = { ...database.env, ...PRODUCTION }
  const maker = await startOn(env)
  const people = await crowd(maker, 2 * CLIENTS)
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
      await Promise.all([nginx.bothUp(), haproxy.bothUp()])
    },
    async replaceWorker() {
      const [, portico] = two.instances
      await portico.logged(/"worker":2,.*Listening on/)
      const [, pid] = /worker 2 is process (\d+)/.exec(portico.output()) ?? []
      process.kill(Number(pid), 'SIGTERM')
      await portico.logged('worker 2 has ended (exit code 0): another one starts at once')
      await portico.logged(/"worker":3,.*Listening on/)
    },
  }
  const nginx = await startProxy(test, 'nginx', ports)
  const haproxy = await startProxy(test, 'haproxy', ports)
  const loads = { nginx: startLoad(nginx.url, people.splice(0, CLIENTS)), haproxy: startLoad(haproxy.url, people) }
  const enough = () => Object.values(loads).every(({ result }) => result.requests >= leastRequests)
  try {
    await action(two)
    while (!enough()) await setTimeout(50)
  } finally {
    await Promise.all([loads.nginx.stop(), loads.haproxy.stop()])
  }
  const results = { nginx: loads.nginx.result, haproxy: loads.haproxy.result }
  for (const [name, { requests, writes, failures }] of Object.entries(results)) {
    report(`${name} on ${engine}: ${requests} requests, ${writes} writes, failed: ${JSON.stringify(failures)}`)
  }
  return results
}

const DOCS = join(import.meta.dirname, '../../docs')
const START_LIMIT_MS = 10_000

export type ProxyName = 'nginx' | 'haproxy'

export interface Proxy {
  url: string
  /** Resolves when the proxy sends requests to both instances. nginx does so always: it has no health checks. */
  bothUp(): Promise<void>
}

/** The real proxy with its documented configuration, in front of two instances. */
export async function startProxy(test: CleanedUp, name: ProxyName, ports: [number, number]): Promise<Proxy> {
  const program = await ensureInstalled(`/usr/sbin/${name}`, name)
  const folder = await temporaryFolder(test)
  const port = await freePort()
  const args = await (name === 'nginx' ? nginxArgumentsOf : haproxyArguments)(folder, port, ports)
  const child = startChild(test, program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  await listening(url, child)
  return {
    url,
    async bothUp() {
      if (name === 'haproxy') await eventually(() => assertBothUp(folder))
    },
  }
}

/** Queries the runtime API of HAProxy like an operator: columns 2 and 18 of `show stat` are name and status. */
async function assertBothUp(folder: string): Promise<void> {
  const socket = connect(join(folder, 'haproxy.sock')).end('show stat\n')
  const rows = (await text(socket)).split('\n').map((line) => line.split(','))
  const status = Object.fromEntries(rows.map((row) => [row[1], row[17]]))
  assert.deepEqual([status.one, status.two], ['UP', 'UP'])
}

async function nginxArgumentsOf(folder: string, port: number, ports: [number, number]): Promise<string[]> {
  const site = withPorts(await readFile(join(DOCS, 'nginx.conf'), 'utf8'), ports)
  return nginxArguments(folder, site.replace('listen 80;', `listen 127.0.0.1:${port};`))
}

async function haproxyArguments(folder: string, port: number, ports: [number, number]): Promise<string[]> {
  const configuration = withPorts(await readFile(join(DOCS, 'haproxy.cfg'), 'utf8'), ports)
    .replace('bind :80', `bind 127.0.0.1:${port}`)
    .replace('global', `global\n    stats socket ${folder}/haproxy.sock`)
  await writeFile(join(folder, 'haproxy.cfg'), configuration)
  return ['-q', '-db', '-f', join(folder, 'haproxy.cfg')]
}

function withPorts(text: string, [one, two]: [number, number]): string {
  return text.replace('127.0.0.1:3001', `127.0.0.1:${one}`).replace('127.0.0.1:3002', `127.0.0.1:${two}`)
}

async function listening(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${child.spawnfile} is not ready`)
    await setTimeout(50)
  }
}

export interface LoadResult {
  requests: number
  writes: number
  /** The number of requests without a 200 response, by reason. */
  failures: Record<string, number>
}

/** Each client sends reads and writes over a keep-alive connection, one after the other, until the load is stopped. */
export function startLoad(url: string, people: Person[]): { result: LoadResult; stop(): Promise<LoadResult> } {
  const result: LoadResult = { requests: 0, writes: 0, failures: {} }
  const agent = new Agent({ keepAlive: true, maxSockets: people.length })
  let isOver = false
  const fail = (reason: string) => {
    result.failures[reason] = (result.failures[reason] ?? 0) + 1
  }
  const clients = people.map(async (person, client) => {
    for (let number = client; !isOver; number++) {
      const [method, path, body] = REQUESTS[number % REQUESTS.length] as (typeof REQUESTS)[number]
      try {
        const status = await send(agent, `${url}${path}`, method, person, body)
        if (status !== 200) fail(`${method} ${path}: ${status}`)
        else if (method === 'POST') result.writes += 1
      } catch (error) {
        fail(`${method} ${path}: ${(error as Error).message}`)
      }
      result.requests += 1
    }
  })
  return {
    result,
    async stop() {
      isOver = true
      await Promise.all(clients)
      agent.destroy()
      return result
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

function send(agent: Agent, url: string, method: string, { accessToken, sessionId }: Person, body?: string) {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = {
    authorization: `Bearer ${accessToken}`,
    'x-session-id': sessionId,
    ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  const call = request(url, { agent, method, headers }, (response: IncomingMessage) =>
    buffer(response).then(() => resolve(response.statusCode ?? 0), reject),
  )
  call.on('error', reject).end(body)
  return promise
}
