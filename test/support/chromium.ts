import assert from 'node:assert/strict'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import { ensureInstalled, isProgram } from './debian-package.ts'

// The shell is the same browser without its windows, and does the same with half the work.
const SHELL = '/usr/bin/chromium-headless-shell'
const USUAL_PLACES = [SHELL, '/usr/bin/chromium']
const IS_ROOT = process.getuid?.() === 0

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

/** The path of the program, once it is installed. */
export async function findChromium(): Promise<string> {
  const { CHROMIUM } = process.env
  if (!CHROMIUM) return USUAL_PLACES.find(isProgram) ?? ensureInstalled(SHELL, 'chromium-headless-shell')
  if (isProgram(CHROMIUM)) return CHROMIUM
  throw new Error(`CHROMIUM is ${CHROMIUM}, which is no program`)
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
