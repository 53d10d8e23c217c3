import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { SCHEMES } from './browser.ts'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import { DESIGN } from './shown-pages.ts'
import { startSite } from './site.ts'

type Scheme = (typeof SCHEMES)[number]

const REFERENCES = join(import.meta.dirname, '../browser/references')
const VIEWPORT = { width: 1000, height: 800 }
/** Pictures are compared at this fraction of their size, where the rendering of single letters hardly matters. */
const SCALE = 1 / 4
const BLUR_SIGMA_PIXELS = 0.8
/** The side of the squares that are compared, in pixels of the smaller picture. */
const TILE_PIXELS = 4
/** The largest difference of the mean colour of a square that is no finding, of 255. A missing border of 1 px has 10. */
const MAX_TILE_DIFFERENCE = 8
const MAX_LISTED = 10
// The site has a font of its own, except for code and in fields of the browser. With one font everywhere, the picture
// does not depend on the fonts of the machine.
const ONE_FONT = '*, ::file-selector-button { font-family: "Portico Sans" !important; caret-color: transparent }'

/** Pixels of three bytes each. */
interface Picture {
  pixels: Buffer
  width: number
  height: number
}

/** A site with settings of its own, so that its page /dev/design does not depend on the content of this repository. */
export async function startDesignSite(test: CleanedUp): Promise<{ url: string }> {
  const navigation = '[{ title: Blog, url: /blog }, { title: Design, url: /dev/design }]'
  const site = await startSite({ 'site.yaml': `title: Site\nauthor: Ada Lovelace\nnavigation: ${navigation}\n` })
  cleanUp(test, () => site.close())
  return site
}

/** The page /dev/design of a new profile. It bypasses the CSP, so that styles can be added. */
export async function openDesign(site: { url: string }, browser: Browser, colorScheme: Scheme): Promise<Page> {
  const options = { viewport: VIEWPORT, colorScheme, bypassCSP: true, reducedMotion: 'reduce' } as const
  const page = await (await browser.newContext(options)).newPage()
  await page.goto(site.url + DESIGN.path)
  await page.addStyleTag({ content: ONE_FONT })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  return page
}

/** How the page looks now, at the size at which pictures are compared. */
export async function designPicture(page: Page): Promise<Picture> {
  return decoded(await smallScreenshot(page))
}

/** The reference of /dev/design. */
export async function referencePicture(scheme: Scheme): Promise<Picture> {
  return decoded(await readFile(referenceFile(scheme)))
}

/** Writes the references. Returns a line about each of them. */
export async function writeReferences(test: CleanedUp, browser: Browser): Promise<string[]> {
  const site = await startDesignSite(test)
  await mkdir(REFERENCES, { recursive: true })
  const lines: string[] = []
  for (const scheme of SCHEMES) {
    const page = await openDesign(site, browser, scheme)
    const file = await smallScreenshot(page)
    await page.context().close()
    await writeFile(referenceFile(scheme), file)
    lines.push(`test/browser/references/design.${scheme}.webp: ${Math.round(file.length / 1000)} kB`)
  }
  return lines
}

/** Where two pictures differ, in pixels of the page. */
export function differences(picture: Picture, reference: Picture): string[] {
  const { width, height } = reference
  const inPage = (pixels: number) => Math.round(pixels / SCALE)
  if (picture.width !== width || picture.height !== height) {
    const size = (of: Picture) => `${inPage(of.width)} × ${inPage(of.height)}`
    return [`the page is ${size(picture)} pixels and not ${size(reference)}`]
  }
  const found: string[] = []
  for (let top = 0; top < height; top += TILE_PIXELS) {
    for (let left = 0; left < width; left += TILE_PIXELS) {
      const difference = tileDifference(picture, reference, left, top)
      if (difference > MAX_TILE_DIFFERENCE)
        found.push(`${difference.toFixed(1)} of 255 at ${inPage(left)}, ${inPage(top)}`)
    }
  }
  return found.length > MAX_LISTED ? [...found.slice(0, MAX_LISTED), `and at ${found.length - MAX_LISTED} more`] : found
}

/** The largest difference of the mean colours of a square, over red, green and blue. */
function tileDifference(one: Picture, other: Picture, left: number, top: number): number {
  const sums = [0, 0, 0]
  let count = 0
  for (let y = top; y < Math.min(top + TILE_PIXELS, one.height); y++) {
    for (let x = left; x < Math.min(left + TILE_PIXELS, one.width); x++) {
      const at = 3 * (y * one.width + x)
      for (const channel of [0, 1, 2]) {
        const difference = (one.pixels[at + channel] ?? 0) - (other.pixels[at + channel] ?? 0)
        sums[channel] = (sums[channel] ?? 0) + difference
      }
      count += 1
    }
  }
  return Math.max(...sums.map((sum) => Math.abs(sum) / count))
}

const referenceFile = (scheme: Scheme) => join(REFERENCES, `design.${scheme}.webp`)

async function smallScreenshot(page: Page): Promise<Buffer> {
  const screenshot = sharp(await page.screenshot({ fullPage: true, animations: 'disabled' }))
  return screenshot
    .resize({ width: VIEWPORT.width * SCALE, kernel: 'cubic' })
    .blur(BLUR_SIGMA_PIXELS)
    .removeAlpha()
    .webp({ quality: 90, effort: 6 })
    .toBuffer()
}

async function decoded(file: Buffer): Promise<Picture> {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}
