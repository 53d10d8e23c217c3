import { before } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { AccountJourney } from './account-journey.ts'
import { INSTALL_LIMIT_MS, launchChromium, openPage } from './chromium.ts'
import { cleanUp, suiteCleanUp } from './clean-up.ts'
import { freePort } from './free-port.ts'
import { type Service, startService } from './service.ts'

/** A service and a browser for the tests around it. Pictures are found at the set address, so here it is the real one. */
export function withAccountBrowser(common: BrowserContextOptions = {}) {
  const parts = {} as { service: Service; browser: Browser }
  const suite = suiteCleanUp()
  async function start(): Promise<void> {
    const port = String(await freePort())
    parts.service = await startService('sqlite', { PORT: port, BASE_URL: `http://127.0.0.1:${port}` })
    cleanUp(suite, () => parts.service.close())
    parts.browser = await launchChromium(suite)
  }
  before(start, { timeout: INSTALL_LIMIT_MS })

  return Object.assign(parts, {
    async begin(options: BrowserContextOptions = {}) {
      const { page, assertFaultless } = await openPage(parts.browser, { ...common, ...options })
      return Object.assign(new AccountJourney(parts.service, page), { assertFaultless })
    },
  })
}
