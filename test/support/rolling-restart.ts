import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { cleanUp } from './clean-up.ts'
import { crowd } from './crowd.ts'
import { freePort } from './free-port.ts'
import { type PorticoProcess, startProcess } from './process.ts'
import { tell } from './progress.ts'
import { type ProxyName, startProxy } from './proxies.ts'
import { type EngineName, freshDatabase, startOn } from './service.ts'
import { type LoadResult, startLoad } from './steady-load.ts'

// Nothing listens at the mail server's port: mail waits.
const PRODUCTION = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  BASE_URL: 'https://portico.example',
  SMTP_URL: 'smtp://127.0.0.1:9',
  RATE_LIMITS: 'off',
  TRUSTED_PROXIES: '127.0.0.1',
}

// Few enough to leave the processor to the instances: a response of 503 for lack of time would count as a failure.
const CLIENTS = 4

export interface TwoInstances {
  instances: [PorticoProcess, PorticoProcess]
  /** Stops one instance, waits for its end, starts it again on its port, and waits until the proxies use it. */
  restart(number: 0 | 1): Promise<void>
  /** Tells one worker of the second instance to stop, and waits until another one has taken its place. */
  replaceWorker(): Promise<void>
}

/**
 * Two production instances on one database behind nginx and behind HAProxy, both under load. The second instance has two
 * workers. Runs `action` meanwhile, and answers the load's results.
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
    await portico.said('Portico is ready at')
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
      await portico.said(/"worker":2,.*Listening on/)
      const [, pid] = /worker 2 is process (\d+)/.exec(portico.output()) ?? []
      process.kill(Number(pid), 'SIGTERM')
      await portico.said('worker 2 has ended (exit code 0): another one starts at once')
      await portico.said(/"worker":3,.*Listening on/)
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
    tell(`${name} on ${engine}: ${requests} requests, ${writes} writes, failed: ${JSON.stringify(failures)}`)
  }
  return results
}
