import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import {
  ACCOUNT,
  HOME,
  OVERVIEW,
  openShown,
  PERSON,
  POST,
  type ShownPage,
  WEBHOOK,
} from '../../test/support/shown-pages.ts'
import type { ShownSite } from '../../test/support/shown-site.ts'
import { withPalette } from './palette.ts'

const FOLDER = join(import.meta.dirname, '../../docs/images')
// Twice the size at which the README shows a picture would be sharper, and three times as large.
const VIEWPORT = { width: 1280, height: 860 }

const PICTURES: [file: string, shown: ShownPage, colorScheme: 'light' | 'dark'][] = [
  ['home.png', HOME, 'light'],
  ['account.png', ACCOUNT, 'light'],
  ['post-dark.png', POST, 'dark'],
  ['owner-overview.png', OVERVIEW, 'light'],
  ['owner-person.png', PERSON, 'light'],
  ['owner-webhook-dark.png', WEBHOOK, 'dark'],
]

/** Writes the pictures of the README and the documentation. Returns a line about each of them. */
export async function writeReadmePictures(site: ShownSite, browser: Browser): Promise<string[]> {
  const lines: string[] = []
  for (const [file, shown, colorScheme] of PICTURES) {
    const context = await site.context(browser, shown.isForMember ?? false, { viewport: VIEWPORT, colorScheme })
    const page = await context.newPage()
    await openShown(page, site, shown)
    const small = await withPalette(await page.screenshot())
    await writeFile(join(FOLDER, file), small)
    lines.push(`docs/images/${file}: ${Math.round(small.length / 1000)} kB`)
    await context.close()
  }
  return lines
}
