import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fetchPlain } from '../support/api.ts'
import { suiteCleanUp } from '../support/clean-up.ts'
import { BROWSER_ACCEPT } from '../support/page-visitor.ts'
import { SHOWN_PAGES, type ShownPage } from '../support/shown-pages.ts'
import { type ShownSite, startShownSite } from '../support/shown-site.ts'

const MAX_BYTES = 50_000
const ENCODINGS = 'gzip, deflate, br, zstd'
/** The style sheet, the scripts and the font of a page. Pictures are not counted. */
const PARTS = /<link rel="(?:stylesheet|preload)" href="([^"]+)"|<script[^>]* src="([^"]+)"/g
const FONT = /\.woff2$/

// Pages of the site are compressed in advance, for visitors. For a signed-in user they are rendered and not compressed.
// The page of all mails, for development, contains each of them.
const UNLIMITED = ['home-signed-in', 'dev-mails']
// A member's browser has the font since the log-in page. The reference of all calls is one page of 25 kB, and the pages for
// development are opened on the machine of their author.
const hasFontAlready = ({ name, isForMember = false }: ShownPage) =>
  isForMember || name === 'docs-account-api' || name.startsWith('dev-')
const COUNTED = SHOWN_PAGES.filter(({ entered, name }) => !entered && !UNLIMITED.includes(name))

describe('the weight of a page', () => {
  let site: ShownSite
  const suite = suiteCleanUp()
  before(async () => {
    site = await startShownSite(suite)
  })

  const cookieOf = (isForMember: boolean) =>
    isForMember ? [...site.cookies].map(([name, value]) => `${name}=${value}`).join('; ') : ''

  async function bytesOf(path: string, headers: Record<string, string>): Promise<number> {
    const { body } = await fetchPlain(site, path, { 'accept-encoding': ENCODINGS, ...headers })
    return body.length
  }

  for (const shown of COUNTED) {
    const { name, path, isForMember = false } = shown
    const isWithoutFont = hasFontAlready(shown)
    const counted = isWithoutFont ? 'its styles and scripts' : 'its styles, scripts and font'
    it(`is at most ${MAX_BYTES / 1000} kB with ${counted}: ${name}`, async () => {
      const headers = { accept: BROWSER_ACCEPT, cookie: cookieOf(isForMember) }
      const { body } = await fetchPlain(site, path, headers)
      const parts = [...String(body).matchAll(PARTS)].map(([, styles, script]) => styles ?? script ?? '')
      assert.equal(parts.filter((part) => FONT.test(part)).length, 1)
      assert.equal(parts.filter((part) => part.endsWith('.css')).length, 1)
      const counted = isWithoutFont ? parts.filter((part) => !FONT.test(part)) : parts
      const sizes = await Promise.all([bytesOf(path, headers), ...counted.map((part) => bytesOf(part, {}))])
      const total = sizes.reduce((sum, size) => sum + size)
      assert.ok(total <= MAX_BYTES, `${total} bytes: ${sizes.join(' + ')}`)
    })
  }
})
