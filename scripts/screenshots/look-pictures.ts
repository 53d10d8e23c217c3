import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { LOOKS } from '../../src/content/site.ts'
import { fetchPlain, get } from '../../test/support/api.ts'
import { type CleanedUp, cleanUp } from '../../test/support/clean-up.ts'
import { temporaryDatabase } from '../../test/support/service.ts'
import { markdown, SITE_ADDRESS, startSiteOn } from '../../test/support/site.ts'

const FOLDER = join(import.meta.dirname, '../../docs/images')
const PORTRAIT_SIZE = { width: 336, height: 336 }
const PORTRAIT = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 84 84" width="336" height="336">
<rect width="84" height="84" fill="#d9c6a5"/><circle cx="42" cy="36" r="18" fill="#7a4a2b"/>
<ellipse cx="42" cy="84" rx="32" ry="27" fill="#0b6e5f"/></svg>`

/** Writes the social card of the same post in each look, for the documentation. Returns a line about each of them. */
export async function writeCardPictures(owner: CleanedUp, browser: Browser): Promise<string[]> {
  const page = await browser.newPage({ viewport: PORTRAIT_SIZE })
  await page.goto(`data:image/svg+xml,${encodeURIComponent(PORTRAIT)}`)
  const portrait = await page.screenshot()
  await page.close()
  const lines: string[] = []
  for (const look of LOOKS) {
    const site = await startSiteOn(await temporaryDatabase(owner, 'sqlite'), {
      'site.yaml': `title: Ada’s site\nauthor: Ada Lovelace\nportrait: /images/me.png\nlook: ${look}\n`,
      'images/me.png': portrait,
      'posts/hello-world.md': markdown({ title: 'Hello, world', date: '2026-11-08' }),
    })
    cleanUp(owner, () => site.close())
    const [, address = ''] = /og:image" content="([^"]+)"/.exec((await get(site, '/blog/hello-world')).body) ?? []
    const { body } = await fetchPlain(site, address.slice(SITE_ADDRESS.length))
    await writeFile(join(FOLDER, `card-${look}.png`), body)
    lines.push(`docs/images/card-${look}.png: ${Math.round(body.length / 1000)} kB`)
  }
  return lines
}
