import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { LOOKS } from '../../src/content/site.ts'
import { fetchPlain, get } from '../../test/support/api.ts'
import { type CleanedUp, cleanUp } from '../../test/support/clean-up.ts'
import { temporaryDatabase } from '../../test/support/service.ts'
import { markdown, SITE_ADDRESS, startSiteOn } from '../../test/support/site.ts'
import { withPalette } from './palette.ts'

const FOLDER = join(import.meta.dirname, '../../docs/images')
const PORTRAIT_SIZE = { width: 336, height: 336 }
const PORTRAIT = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 84 84" width="336" height="336">
<rect width="84" height="84" fill="#d9c6a5"/><circle cx="42" cy="36" r="18" fill="#7a4a2b"/>
<ellipse cx="42" cy="84" rx="32" ry="27" fill="#0b6e5f"/></svg>`

const POST_SIZE = { width: 1000, height: 700 }
const POST = `This site has three looks. Here is one of them, with a [link](/blog), some *emphasis* and a little \`code\`.

> [!TIP]
> A look is one word in \`site.yaml\`.

## What a look changes

1. The fonts of text and headings
2. The header, the rules and the corners

\`\`\`ts
export const greeting = \`Hello, \${name}\`
\`\`\`
`

/** Writes a post and its social card in each look, for the documentation. Returns a line about each picture. */
export async function writeLookPictures(owner: CleanedUp, browser: Browser): Promise<string[]> {
  const page = await browser.newPage({ viewport: PORTRAIT_SIZE })
  await page.goto(`data:image/svg+xml,${encodeURIComponent(PORTRAIT)}`)
  const portrait = await page.screenshot()
  await page.close()
  const lines: string[] = []
  for (const look of LOOKS) {
    const site = await startSiteOn(await temporaryDatabase(owner, 'sqlite'), {
      'site.yaml': `title: Ada’s site\nauthor: Ada Lovelace\nportrait: /images/me.png\nlook: ${look}\n`,
      'images/me.png': portrait,
      'posts/hello-world.md': markdown({ title: 'Hello, world', date: '2026-11-08', tags: ['notes'] }, POST),
    })
    cleanUp(owner, () => site.close())
    const [, address = ''] = /og:image" content="([^"]+)"/.exec((await get(site, '/blog/hello-world')).body) ?? []
    const { body } = await fetchPlain(site, address.slice(SITE_ADDRESS.length))
    await write(`card-${look}.png`, body)
    const post = await browser.newPage({ viewport: POST_SIZE, reducedMotion: 'reduce' })
    await post.goto(`${site.url}/blog/hello-world`)
    await post.evaluate('document.fonts.ready')
    await write(`look-${look}.png`, await withPalette(await post.screenshot()))
    await post.close()
  }
  return lines

  async function write(file: string, bytes: Buffer): Promise<void> {
    await writeFile(join(FOLDER, file), bytes)
    lines.push(`docs/images/${file}: ${Math.round(bytes.length / 1000)} kB`)
  }
}
