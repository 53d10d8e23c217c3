import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { get } from '../support/api.ts'
import { compileDescription } from '../support/api-description.ts'
import { type CleanedUp, cleanUp, manualCleanUp } from '../support/clean-up.ts'
import { startGithub } from '../support/contribution-calendar.ts'
import { freePort } from '../support/local-servers.ts'
import { startSmtpSink } from '../support/mail.ts'
import { type Memory, memoryOf, WITH_MEMORY_PROBE } from '../support/measuring.ts'
import { type PorticoProcess, startQuiet } from '../support/process.ts'
import { type EngineName, temporaryDatabase } from '../support/service.ts'
import { gatherPeople, type People } from './people.ts'
import type { Descriptions } from './sound.ts'

export interface Target {
  url: string
  people: People
  descriptions: Descriptions
  /** The addresses of all public pages. */
  pages: string[]
  /** Fails when the process has ended by itself. */
  assertUp(): void
  /** Signs all persons in. */
  prepare(): Promise<void>
  /** The same after a failure: the process may have to be started again. */
  prepareAnew(): Promise<void>
  memory(): Promise<Memory>
  /** The error lines of its log. */
  errorLines(): string[]
  close(): Promise<void>
}

/** The service in a process of its own, as in production but without limits, with a mail server and a code host. */
export async function startTarget(engine: EngineName): Promise<Target> {
  const { owner, run } = manualCleanUp()
  return surround(engine, owner, run).catch(async (error) => {
    await run()
    throw error
  })
}

async function surround(engine: EngineName, owner: CleanedUp, close: () => Promise<void>): Promise<Target> {
  const database = await temporaryDatabase(owner, engine)
  const sink = await startSmtpSink()
  cleanUp(owner, () => sink.down())
  const calendar = await startGithub()
  cleanUp(owner, () => calendar.close())
  const env = {
    ...database,
    ...calendar.settings,
    ...WITH_MEMORY_PROBE,
    PORT: String(await freePort()),
    CONTENT_DIR: fileURLToPath(new URL('../../content', import.meta.url)),
    SMTP_URL: sink.url,
    RATE_LIMITS: 'off',
    // Without it, some of the headers would be refused as forwarded from a public address.
    NODE_ENV: 'development',
    // A sign-in begins here, and ends before the provider gets a request.
    CODEHOST_CLIENT_ID: 'fuzz',
    CODEHOST_CLIENT_SECRET: 'fuzz',
    CODEHOST_URL: 'http://127.0.0.1:9',
    CODEHOST_API_URL: 'http://127.0.0.1:9',
  }
  let portico = await start()
  const people = gatherPeople(portico, sink)
  await people.restore()
  // With the calendar in its database the service does not need the code host, which is in this busy process.
  while ((await get(portico, '/api/github-contributions')).status !== 200) await setTimeout(100)

  async function start(): Promise<PorticoProcess> {
    return startQuiet(owner, env)
  }

  const { url } = portico
  const hasEnded = () => portico.child.exitCode !== null || portico.child.signalCode !== null
  return {
    url,
    people,
    descriptions: {
      api: compileDescription((await get({ url }, '/api/openapi.json')).body),
      content: compileDescription((await get({ url }, '/openapi.json')).body),
    },
    pages: [...(await get({ url }, '/sitemap.xml')).body.matchAll(/<loc>https?:\/\/[^/<]+([^<]*)<\/loc>/g)].map(
      ([, path]) => path || '/',
    ),
    assertUp() {
      if (hasEnded()) throw new Error(`the service ended (${portico.child.exitCode ?? portico.child.signalCode})`)
    },
    prepare: () => people.restore(),
    async prepareAnew() {
      // The end of the process is noticed a moment later than the end of its connections.
      while (!(await isResponding({ url }))) {
        if (hasEnded()) portico = await start()
        else await setTimeout(20)
      }
      await people.restore()
    },
    memory: () => memoryOf(portico),
    errorLines: () =>
      portico
        .output()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('memory ')),
    async close() {
      await portico.stop()
      await close()
    },
  }
}

function isResponding(service: { url: string }): Promise<boolean> {
  return get(service, '/healthz').then(
    ({ status }) => status === 200,
    () => false,
  )
}
