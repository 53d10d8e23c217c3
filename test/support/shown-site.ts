import { appendFile, cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import sharp from 'sharp'
import { assertSucceeded, post, signUp } from './api.ts'
import { type CleanedUp, cleanUp, temporaryFolder } from './clean-up.ts'
import { type LevelOf, startGithub } from './contribution-calendar.ts'
import { freePort } from './local-servers.ts'
import { makeOwner } from './owners.ts'
import { PageVisitor } from './page-visitor.ts'
import { addPasskey } from './passkeys.ts'
import { uploaded } from './pictures.ts'
import { type Service, startService } from './service.ts'
import { storeShownDesk } from './shown-desk.ts'
import { storeShownPeople } from './shown-people.ts'
import { SHOWN_POSTS } from './shown-posts.ts'
import { eventually, markdown } from './site.ts'
import { SoftwareAuthenticator } from './software-authenticator.ts'

const CONTENT = join(import.meta.dirname, '../../content')
const DRAFT = markdown({
  title: 'An unfinished post',
  description: 'What it will be about.',
  draft: true,
  date: '2026-11-14',
})
const SCHEDULED = markdown({ title: 'What comes next', date: '2099-01-01' })
const FAULTY = markdown({ title: 'A page with a fault', colour: 'red' }, '[Elsewhere](nowhere.md)')
const SECTIONS = `
sections:
  - title: Start
    pages: [guides/first-steps.md]
  - title: Guides
    pages: [guides/back-up.md, guides/restore.md]
`
const GUIDES = {
  'first-steps.md': markdown({ title: 'First steps', description: 'From nothing to a page that others can read.' }),
  'back-up.md': markdown(
    { title: 'Back up the data', description: 'What to copy, how often, and how to be sure that it is complete.' },
    `The database has all the data. [Restore](restore.md) it once, before you need to.

## What to copy

| what | where | how often |
|---|---|---|
| the database | \`DATA_DIR\` | every hour |
| the content | \`content/\` | with every change, in a repository |

## Copy the database

Never copy the file of a database that is in use. This command copies it while the service runs:

\`\`\`sh
sqlite3 data/portico.db "vacuum into 'backup.db'"
\`\`\`

### How often

As often as the work between two copies may be lost.

## Test the copy

- [x] open it
- [ ] start a service with it
`,
  ),
  'restore.md': markdown({ title: 'Restore a copy' }),
}

const EMAIL = 'grace@example.com'
const LAPTOP = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0'
const DESK = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

/** The providers are on the pages only: nobody signs in through them. */
const PROVIDERS = {
  CODEHOST_CLIENT_ID: 'shown',
  CODEHOST_CLIENT_SECRET: 'shown',
  IDP_CLIENT_ID: 'shown',
  IDP_CLIENT_SECRET: 'shown',
  IDP_ISSUER: 'https://id.example.com',
  IDP_NAME: 'Example ID',
}

export interface ShownSite extends Service {
  /** The cookies of the signed-in user. */
  cookies: Map<string, string>
  /** A browser profile of a visitor or of the signed-in user. */
  context(browser: Browser, isMember: boolean, options?: BrowserContextOptions): Promise<BrowserContext>
}

/**
 * A service on which every page has something to show: the content of this repository with further posts, a draft and
 * sections, contributions, providers to sign in with, people, and an owner with a profile, a picture, a passkey and two
 * sessions.
 */
export async function startShownSite(test: CleanedUp, siteYaml?: string): Promise<ShownSite> {
  const folder = await temporaryFolder(test)
  await cp(CONTENT, folder, { recursive: true })
  await writeFile(join(folder, 'posts/an-unfinished-post.md'), DRAFT)
  await writeFile(join(folder, 'posts/what-comes-next.md'), SCHEDULED)
  for (const [file, text] of Object.entries(SHOWN_POSTS)) await writeFile(join(folder, 'posts', file), text)
  await writeFile(join(folder, 'posts/sky.png'), await sky())
  await writeFile(join(folder, 'pages/faulty.md'), FAULTY)
  await mkdir(join(folder, 'pages/guides'))
  for (const [file, text] of Object.entries(GUIDES)) await writeFile(join(folder, 'pages/guides', file), text)
  if (siteYaml) await writeFile(join(folder, 'site.yaml'), siteYaml)
  else await appendFile(join(folder, 'site.yaml'), SECTIONS)
  const github = await startGithub(shownLevel)
  cleanUp(test, () => github.close())
  const port = String(await freePort())
  // The addresses of pictures begin with the configured address. Passkeys need a domain.
  const BASE_URL = `http://localhost:${port}`
  const settings = { PORT: port, BASE_URL, CONTENT_DIR: folder, ...github.settings, ...PROVIDERS }
  const service = { ...(await startService('sqlite', settings)), url: BASE_URL }
  cleanUp(test, () => service.close())
  await eventually(async () => {
    if ((await fetch(`${service.url}/contributions.svg`)).status !== 200) throw new Error('there is no calendar yet')
  })
  const cookies = await signInMember(service)
  return {
    ...service,
    cookies,
    async context(browser, isMember, options) {
      const context = await browser.newContext(options)
      const ofMember = [...cookies].map(([name, value]) => ({ name, value, url: service.url }))
      if (isMember) await context.addCookies(ofMember)
      return context
    },
  }
}

async function signInMember(service: Service): Promise<Map<string, string>> {
  const as = await signUp(service, { email: EMAIL }, { headers: { 'user-agent': LAPTOP } })
  const passkey = await addPasskey(service, as, 'My laptop', new SoftwareAuthenticator(service.url))
  await makeOwner(service, as)
  await storeShownPeople(service, as.userId)
  await storeShownDesk(service)
  const avatar = await uploaded(service, as, await portrait())
  assertSucceeded(await post(service, '/api/upload-avatar', { avatar }, { as }))
  const profile = { bio: 'Compilers, mostly. They said it could not be done.', location: { city: 'Arlington' } }
  assertSucceeded(await post(service, '/api/user-details', profile, { as }))
  await service.advanceTime({ hours: 3 })
  const visitor = new PageVisitor(service)
  // The owner's desk needs a session with the passkey.
  const { options } = JSON.parse((await visitor.post('/log-in/passkey-options')).body)
  const fields = { passkey: JSON.stringify(passkey.get(options)) }
  await visitor.submit('/log-in', 'passkey', fields, { 'user-agent': DESK })
  if (visitor.cookies.size === 0) throw new Error('the user could not log in')
  return visitor.cookies
}

/** A picture as wide as a photograph: two pixels, one above the other, scaled up. */
function sky(): Promise<Buffer> {
  const pixels = Buffer.from([42, 111, 176, 235, 243, 250])
  return sharp(pixels, { raw: { width: 1, height: 2, channels: 3 } })
    .resize(1600, 800, { fit: 'fill' })
    .png()
    .toBuffer()
}

const PORTRAIT_PIXELS = 512

/** A picture that needs no file: head and shoulders before a gradient. Drawn as pixels, because the service blocks SVG. */
function portrait(): Promise<Buffer> {
  const pixels = Buffer.alloc(PORTRAIT_PIXELS * PORTRAIT_PIXELS * 3)
  for (let y = 0; y < PORTRAIT_PIXELS; y++) {
    for (let x = 0; x < PORTRAIT_PIXELS; x++) {
      const isHead = Math.hypot(x - 256, y - 210) < 96
      const isBody = Math.hypot((x - 256) / 192, (y - 512) / 190) < 1
      const shade = (x + y) / (2 * PORTRAIT_PIXELS)
      const colour = isHead || isBody ? [255, 246, 233] : [246 - 50 * shade, 193 - 107 * shade, 119 - 12 * shade]
      pixels.set(colour, (y * PORTRAIT_PIXELS + x) * 3)
    }
  }
  const raw = { width: PORTRAIT_PIXELS, height: PORTRAIT_PIXELS, channels: 3 } as const
  return sharp(pixels, { raw }).png().toBuffer()
}

/** Levels that look like the work of a person: less at weekends, more in some months. The same on every run. */
const shownLevel: LevelOf = (daysAgo) => {
  const season = 1.4 + 1.3 * Math.sin(daysAgo / 40)
  const scattered = ((daysAgo * 7919) % 101) / 101
  const isRestDay = daysAgo % 7 < 2
  return Math.max(0, Math.min(4, Math.round(season + scattered * 3 - 1 - (isRestDay ? 1.5 : 0))))
}
