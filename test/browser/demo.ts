import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { BrowserContext } from 'playwright-core'
import { startChild } from '../support/child.ts'
import { type CleanedUp, temporaryFolder } from '../support/clean-up.ts'
import { freePort } from '../support/local-servers.ts'

const DEMO = fileURLToPath(new URL('../../scripts/demo.ts', import.meta.url))

/** The address of `npm run demo` with data of its own: the service and a real OpenID provider that accepts any name. */
export async function startDemo(test: CleanedUp): Promise<string> {
  const folder = await temporaryFolder(test)
  const port = await freePairOfPorts()
  const url = `http://localhost:${port}`
  const env = { PATH: process.env.PATH, PORT: String(port), DATA_DIR: folder }
  const child = startChild(test, process.execPath, [DEMO], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  assert.ok(child.stdout)
  let printed = ''
  for await (const line of createInterface(child.stdout)) {
    printed += `${line}\n`
    if (line.includes(`Portico is ready at ${url}`)) {
      child.stdout.resume()
      return url
    }
  }
  throw new Error(`the demo did not start:\n${printed}`)
}

/** Makes requests to another machine fail. A failed request is reported as an error of the page. */
export async function blockExternalRequests(context: BrowserContext): Promise<void> {
  await context.route(
    ({ hostname }) => hostname !== 'localhost',
    (route) => route.abort('addressunreachable'),
  )
}

/** The demo's provider listens on the port after the demo's own. */
async function freePairOfPorts(): Promise<number> {
  const port = await freePort()
  const next = createServer()
  const isFree = await new Promise((resolve) => {
    next.once('error', () => resolve(false)).listen(port + 1, '127.0.0.1', () => next.close(() => resolve(true)))
  })
  return isFree ? port : freePairOfPorts()
}
