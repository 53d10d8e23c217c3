import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before } from 'node:test'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { type CleanedUp, cleanUp, suiteCleanUp } from './clean-up.ts'
import { ensureInstalled, isProgram } from './install.ts'
import { freePort } from './local-servers.ts'
import { AccountJourney } from './page-visitor.ts'
import { type Service, startService } from './service.ts'

// The headless shell is the same browser without windows, at half the processor time.
const SHELL = '/usr/bin/chromium-headless-shell'
const USUAL_PLACES = [SHELL, '/usr/bin/chromium']
const IS_ROOT = process.getuid?.() === 0

/** Timeout of a `before` that calls `launchChromium`: the first call may have to install Chromium. */
export const INSTALL_LIMIT_MS = 10 * 60_000

/** A real Chromium without background requests of its own. It exits when our end of its pipe is closed. */
export async function launchChromium(test: CleanedUp): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    // The sandbox of Chromium does not work as root.
    chromiumSandbox: !IS_ROOT,
    args: [
      ...(IS_ROOT ? ['--no-sandbox'] : []),
      '--disable-gpu',
      // Letters look the same and have the same widths whatever the fonts of the machine are set to.
      '--font-render-hinting=none',
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

/** The path of the program, after its installation. */
export async function findChromium(): Promise<string> {
  const { CHROMIUM } = process.env
  if (!CHROMIUM) return USUAL_PLACES.find(isProgram) ?? installChromium()
  if (isProgram(CHROMIUM)) return CHROMIUM
  throw new Error(`CHROMIUM is ${CHROMIUM}, which is no program`)
}

async function installChromium(): Promise<string> {
  try {
    return await ensureInstalled(SHELL, 'chromium-headless-shell')
  } catch (cause) {
    const advice =
      'install the Debian package chromium-headless-shell, or set CHROMIUM to the path of Chromium or Chrome'
    throw new Error(`Chromium is missing: ${advice}`, { cause })
  }
}

export interface WatchedPage {
  page: Page
  /** The URL of every request of the browser. */
  urls: string[]
  /** Fails when a page or the console of the browser has reported an error since the last call. */
  assertNoErrors(): void
}

/** A page of a new browser profile. All its errors are collected. */
export async function openPage(browser: Browser, options?: BrowserContextOptions): Promise<WatchedPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const urls: string[] = []
  const errors: string[] = []
  page.on('pageerror', ({ message }) => {
    // Chromium skips a view transition to a page without one, such as that of a provider, and to a page that is shown
    // already, with a rejected promise.
    const isSkipped = message.startsWith('Transition was aborted because of invalid state.')
    if (!isSkipped) errors.push(`uncaught: ${message}`)
  })
  page.on('console', (message) => {
    // The failed request carries more detail than the console message. A page that is meant to be a 404 is no error.
    const isLoad = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isLoad) errors.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => urls.push(request.url()))
  page.on('requestfailed', (request) => {
    // Opening the next page at once aborts requests that the last page had started.
    const reason = request.failure()?.errorText
    if (reason !== 'net::ERR_ABORTED') errors.push(`failed: ${request.url()} ${reason}`)
  })
  page.on('response', (response) => {
    const isPart = !response.request().isNavigationRequest()
    if (isPart && response.status() >= 400) errors.push(`${response.status()}: ${response.url()}`)
  })
  await page.exposeFunction('noteViolation', (violation: string) => errors.push(`against the policy: ${violation}`))
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    noteViolation(event.effectiveDirective + ' ' + event.blockedURI))`)
  return { page, urls, assertNoErrors: () => assert.deepEqual(errors.splice(0), []) }
}

/**
 * A service and a browser for the surrounding tests. Picture URLs contain the configured address, so the service gets
 * its real one. Tests of passkeys need the host `localhost`: a passkey is for a domain.
 */
export function withAccountBrowser(common: BrowserContextOptions = {}, host = '127.0.0.1') {
  const parts = {} as { service: Service; browser: Browser; url: string }
  const suite = suiteCleanUp()
  async function start(): Promise<void> {
    const port = String(await freePort())
    parts.url = `http://${host}:${port}`
    parts.service = await startService('sqlite', { PORT: port, BASE_URL: parts.url })
    cleanUp(suite, () => parts.service.close())
    parts.browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  return Object.assign(parts, {
    async begin(options: BrowserContextOptions = {}) {
      const { page, assertNoErrors } = await openPage(parts.browser, { ...common, ...options })
      return Object.assign(new AccountJourney({ ...parts.service, url: parts.url }, page), { assertNoErrors })
    },
  })
}

const AXE = await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Loads axe into every later document of the page. The browser context must bypass CSP: axe adds styles of its own. */
export async function loadAxe(page: Page): Promise<void> {
  await page.addInitScript(AXE)
}

/** The rules of axe whose findings depend on the window and on the colour scheme. */
export const VISUAL_RULES = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block']

/** The findings of axe on the page, one per line: those of all rules, or of the named ones. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = {
    resultTypes: ['violations'],
    ...(rules ? { runOnly: { type: 'rule', values: rules } } : { rules: { 'target-size': { enabled: true } } }),
  }
  const { violations, passes }: AxeResults = await page.evaluate(`axe.run(${JSON.stringify(options)})`)
  // Without text on the page, or when axe has not run, there is no contrast to check.
  const hasLooked = [...violations, ...passes].some(({ id }) => id === 'color-contrast')
  const findings = violations.map(({ id, help, nodes }) => {
    const [first] = nodes
    return `${id} (${nodes.length} times): ${help}: ${first?.html.slice(0, 120)} ${first?.failureSummary}`
  })
  return hasLooked ? findings : [...findings, 'axe has not looked at any text']
}

/** The window sizes and the colour schemes that pages are tested in. */
export const PHONE = { width: 390, height: 844 }
export const DESKTOP = { width: 1280, height: 900 }
export const SCHEMES = ['light', 'dark'] as const

/** The computed value for each element, such as rgb(1, 2, 3) for a colour of the current colour scheme. */
export function styles(elements: Locator, property: string): Promise<string[]> {
  return elements.evaluateAll(
    (all, name) => all.map((element) => element.ownerDocument.defaultView.getComputedStyle(element)[name]),
    property,
  )
}

export async function style(element: Locator, property: string): Promise<string> {
  const [value] = await styles(element, property)
  assert.ok(value, `${element} has no ${property}`)
  return value
}

/** Each label is inside of its picture, and no two labels overlap. */
export async function assertNoOverlap(picture: Locator, labels: Locator): Promise<void> {
  const [frame] = await boxes(picture)
  const placed = await boxes(labels)
  assert.ok(frame)
  placed.forEach((box, index) => {
    assert.ok(box.right - box.left > 5 && box.bottom - box.top > 5, 'a label is not shown')
    assert.ok(isInside(box, frame), `a label is cut off: ${JSON.stringify([box, frame])}`)
    assert.ok(!placed.slice(index + 1).some((other) => overlap(box, other)), 'a label lies on another')
  })
}

interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

const boxes = (elements: Locator): Promise<Box[]> =>
  elements.evaluateAll((all) => all.map((element) => element.getBoundingClientRect().toJSON()))

const isInside = (box: Box, frame: Box) =>
  box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom

const overlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/** The WCAG contrast ratio of two computed colours. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const [, ...channels] = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour) ?? []
  if (channels.length !== 3) throw new Error(`${colour} is no opaque colour`)
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const share = Number(channel) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
