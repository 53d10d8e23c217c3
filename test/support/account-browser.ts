import { after, before } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { AccountJourney } from './account-journey.ts'
import { launchChromium, openPage } from './chromium.ts'
import { freePort } from './free-port.ts'
import { type Service, startService } from './service.ts'

/** A service and a browser for the tests around it. Pictures are found at the set address, so here it is the real one. */
export function withAccountBrowser(common: BrowserContextOptions = {}) {
  const parts = {} as { service: Service; browser: Browser }
  before(async () => {
    const port = String(await freePort())
    parts.service = await startService('sqlite', { PORT: port, BASE_URL: `http://127.0.0.1:${port}` })
    parts.browser = await launchChromium()
  })
  after(async () => {
    await parts.browser?.close()
    await parts.service?.close()
  })

  return Object.assign(parts, {
    async begin(options: BrowserContextOptions = {}) {
      const { page, assertFaultless } = await openPage(parts.browser, { ...common, ...options })
      return Object.assign(new AccountJourney(parts.service, page), { assertFaultless })
    },
  })
}
