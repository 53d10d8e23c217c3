import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fetchPlain } from '../support/api.ts'
import { suiteCleanUp } from '../support/clean-up.ts'
import { BROWSER_ACCEPT } from '../support/page-visitor.ts'
import { SHOWN_PAGES } from '../support/shown-pages.ts'
import { type ShownSite, startShownSite } from '../support/shown-site.ts'

const MAX_BYTES = 50_000
const ENCODINGS = 'gzip, deflate, br, zstd'
/** The style sheet and the scripts of a page. The font and the pictures are not counted. */
const PARTS = /<link rel="stylesheet" href="([^"]+)"|<script[^>]* src="([^"]+)"/g

// Pages of the site are compressed in advance, for visitors. For a signed-in user they are rendered and not compressed.
// The page of all mails, for development, contains each of them.
const UNLIMITED = ['home-signed-in', 'dev-mails']
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

  for (const { name, path, isForMember = false } of COUNTED) {
    it(`is at most ${MAX_BYTES / 1000} kB with its styles and scripts: ${name}`, async () => {
      const headers = { accept: BROWSER_ACCEPT, cookie: cookieOf(isForMember) }
      const { body } = await fetchPlain(site, path, headers)
      const parts = [...String(body).matchAll(PARTS)].map(([, styles, script]) => styles ?? script ?? '')
      assert.ok(parts.length > 0)
      const sizes = await Promise.all([bytesOf(path, headers), ...parts.map((part) => bytesOf(part, {}))])
      const total = sizes.reduce((sum, size) => sum + size)
      assert.ok(total <= MAX_BYTES, `${total} bytes: ${sizes.join(' + ')}`)
    })
  }
})
