import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { type CleanedUp, cleanUp } from './clean-up.ts'

// The shell is the same browser without its windows, and does the same with half the work.
const SHELL = '/usr/bin/chromium-headless-shell'
const USUAL_PLACES = [SHELL, '/usr/bin/chromium']
const IS_ROOT = process.getuid?.() === 0
const INSTALL = `test -x ${SHELL} || { dpkg --configure -a && apt-get update && apt-get install -y chromium-headless-shell; }`

/** The limit of a `before` that calls `launchChromium`: the first one may have to install it. */
export const INSTALL_LIMIT_MS = 10 * 60_000

/** A real Chromium that talks to nobody but the pages it is sent to. It ends by itself when its end of the pipe is closed. */
export async function launchChromium(test: CleanedUp): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    // As root its own sandbox cannot be set up.
    chromiumSandbox: !IS_ROOT,
    args: [
      ...(IS_ROOT ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  cleanUp(test, () => browser.close())
  return browser
}

/** Where it is, once it is installed. */
export async function findChromium(): Promise<string> {
  const places = process.env.CHROMIUM ? [process.env.CHROMIUM] : USUAL_PLACES
  const found = places.find(isProgram)
  if (found) return found
  if (!process.env.CHROMIUM && IS_ROOT && (await isDebian())) {
    // Test files are processes of their own: whoever comes second waits, and then finds it installed.
    const lock = join(tmpdir(), 'portico-chromium.lock')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    // Not by `runProgram`: dpkg must not be killed in the middle.
    await promisify(execFile)('flock', [lock, 'sh', '-c', INSTALL], { env, maxBuffer: 64 * 1024 * 1024 })
    if (isProgram(SHELL)) return SHELL
  }
  throw new Error(
    `The browser tests need Chromium, and there is none at ${places.join(' or ')}: install it, or set CHROMIUM to its path`,
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function isDebian(): Promise<boolean> {
  return /^ID=debian$/m.test(await readFile('/etc/os-release', 'utf8').catch(() => ''))
}

export interface WatchedPage {
  page: Page
  /** Every address that the browser asked for. */
  urls: string[]
  /** Nothing went wrong since the last time, that a visitor or the browser's console could have noticed. */
  assertFaultless(): void
}

/** A page of a browser profile of its own, of which every fault is collected. */
export async function openPage(browser: Browser, options?: BrowserContextOptions): Promise<WatchedPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const urls: string[] = []
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    // Of failed loads the request itself says more, and a page that is meant to be a 404 is none.
    const isLoad = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isLoad) faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => urls.push(request.url()))
  page.on('requestfailed', (request) => {
    // Whoever goes on to the next page at once ends what the last one was still loading.
    const reason = request.failure()?.errorText
    if (reason !== 'net::ERR_ABORTED') faults.push(`failed: ${request.url()} ${reason}`)
  })
  page.on('response', (response) => {
    const isPart = !response.request().isNavigationRequest()
    if (isPart && response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`)
  })
  await page.exposeFunction('noteViolation', (violation: string) => faults.push(`against the policy: ${violation}`))
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    noteViolation(event.effectiveDirective + ' ' + event.blockedURI))`)
  return { page, urls, assertFaultless: () => assert.deepEqual(faults.splice(0), []) }
}
