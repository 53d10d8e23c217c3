// `npm run screenshots`: pictures of every page in light and dark, on a phone and on a desktop, in screenshots/, and the
// pictures of the README and of the documentation in docs/images. `-- --references` also writes what /dev/design is compared with in the tests.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { DESKTOP, findChromium, launchChromium, PHONE, SCHEMES } from '../../test/support/browser.ts'
import { manualCleanUp } from '../../test/support/clean-up.ts'
import { writeReferences } from '../../test/support/design-picture.ts'
import { openShown, SHOWN_PAGES } from '../../test/support/shown-pages.ts'
import { type ShownSite, startShownSite } from '../../test/support/shown-site.ts'
import { contactSheet } from './contact-sheet.ts'
import { writeLookPictures } from './look-pictures.ts'
import { writeReadmePictures } from './readme-pictures.ts'

const WINDOWS = { phone: PHONE, desktop: DESKTOP }
const FOLDER = join(import.meta.dirname, '../../screenshots')

/** The files of all pictures. */
async function takeAll(site: ShownSite, browser: Browser): Promise<string[]> {
  const files: string[] = []
  for (const isForMember of [false, true]) {
    const context = await site.context(browser, isForMember)
    const page = await context.newPage()
    for (const shown of SHOWN_PAGES.filter((each) => (each.isForMember ?? false) === isForMember)) {
      await openShown(page, site, shown)
      for (const [window, viewport] of Object.entries(WINDOWS)) {
        await page.setViewportSize(viewport)
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          const file = `${shown.name}.${window}.${colorScheme}.png`
          await page.screenshot({ path: join(FOLDER, file), fullPage: true, animations: 'disabled' })
          files.push(file)
        }
      }
    }
    await context.close()
  }
  return files
}

const { owner, run: end } = manualCleanUp()
try {
  await findChromium()
  const site = await startShownSite(owner)
  const browser = await launchChromium(owner)
  await rm(FOLDER, { recursive: true, force: true })
  await mkdir(FOLDER, { recursive: true })
  const files = await takeAll(site, browser)
  await writeFile(join(FOLDER, 'index.html'), contactSheet(files))
  print(`${files.length} pictures: screenshots/index.html`)
  for (const line of [...(await writeReadmePictures(site, browser)), ...(await writeLookPictures(owner, browser))])
    print(line)
  if (process.argv.includes('--references')) {
    for (const line of await writeReferences(owner, browser)) print(line)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  await end()
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
