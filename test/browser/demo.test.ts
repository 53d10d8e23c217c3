import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium, openPage, type WatchedPage } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'

const DEMO = fileURLToPath(new URL('../../scripts/demo.ts', import.meta.url))
const NAME = 'Grace'
const PASSWORD = 'any-password-will-do'

describe('the demo', () => {
  let folder: string
  let child: ChildProcess
  let browser: Browser
  let visitor: WatchedPage
  let url: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portico-demo-'))
    const port = await freePairOfPorts()
    url = `http://localhost:${port}`
    child = await startDemo(port)
    browser = await launchChromium()
    visitor = await openPage(browser)
    await stayOnThisMachine(visitor.page.context())
  })
  after(async () => {
    await browser?.close()
    child?.kill()
    if (child?.exitCode === null) await once(child, 'exit')
    await rm(folder, { recursive: true, force: true })
  })

  async function startDemo(port: number): Promise<ChildProcess> {
    const env = { PATH: process.env.PATH, PORT: String(port), DATA_DIR: folder }
    const demo = spawn(process.execPath, [DEMO], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    for await (const line of createInterface(demo.stdout)) {
      said += `${line}\n`
      if (line.includes(`Portico is ready at ${url}`)) {
        demo.stdout.resume()
        return demo
      }
    }
    throw new Error(`the demo did not start:\n${said}`)
  }

  const signIn = (page: Page) => page.goto(`${url}/dev/sign-in`)
  const who = (page: Page) => page.locator('article').first().innerText()

  it('signs a browser in through its provider, with any name and any password', async () => {
    const { page, assertFaultless } = visitor
    await signIn(page)
    assert.equal(await who(page), 'Not signed in')
    await page.getByRole('link', { name: /^Sign in with/ }).click()

    await page.locator('input[name=login]').fill(NAME)
    await page.locator('input[name=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()

    await page.waitForURL(`${url}/dev/sign-in`)
    const shown = await who(page)
    assert.match(shown, /^Signed in\n/)
    assert.match(shown, new RegExp(`${NAME} of the demo`))
    assert.match(shown, /grace@example\.com/)
    assertFaultless()
  })

  it('knows the browser again', async () => {
    const again = await visitor.page.context().newPage()
    await signIn(again)
    assert.match(await who(again), new RegExp(`^Signed in\n[^]*${NAME}`))
  })

  it('does not know another browser', async () => {
    const { page } = await openPage(browser)
    await signIn(page)
    assert.equal(await who(page), 'Not signed in')
  })

  it('keeps the session where no script can read it, and in no address', async () => {
    const { page, urls } = visitor
    const cookies = await page.context().cookies(url)
    const session = cookies.find(({ name }) => name === 'portico_session')
    assert.ok(session?.value)
    assert.equal(session.httpOnly, true)
    assert.equal(session.sameSite, 'Lax')
    assert.ok(!(await page.evaluate<string>('document.cookie')).includes(session.name))

    // The way there and back was seen, so a token would have been.
    assert.ok(urls.some((seen) => seen.startsWith(`${url}/api/oauth/idp?code=`)))
    for (const seen of urls) {
      assert.ok(!seen.includes(session.value) && !seen.includes(PASSWORD), seen)
      assert.doesNotMatch(seen, /eyJ[\w-]+\.|(access|refresh|id)_?token=/i)
    }
  })
})

/** What is asked of another machine fails, and a failed load is a fault. */
async function stayOnThisMachine(context: BrowserContext): Promise<void> {
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
