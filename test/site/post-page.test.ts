import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { markdown, startSite, type TestSite } from '../support/site.ts'

const SECTIONS = `# One

## The *second* \`part\`

### Deeper & deeper

#### Too deep

Text.`

describe('the page of a post', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    const post = (title: string) => ({ title, date: '2026-01-01' })
    Object.assign(
      site,
      await startSite({
        'posts/long.md': markdown(post('Long'), SECTIONS),
        'posts/short.md': markdown(post('Short'), '## One\n\n## Two\n\nText.'),
        'posts/code.md': markdown(post('Code'), '```js\nlet a\n```'),
      }),
    )
    cleanUp(suite, () => site.close())
  })

  it('has a table of contents from three headings on, down to the third level', async () => {
    const { body } = await get(site, '/blog/long')
    const [, contents = ''] = /<nav class="contents"[\s\S]*?<ol>([\s\S]*?)<\/ol>/.exec(body) ?? []
    assert.equal(
      contents,
      '<li><a href="#one" dir="auto">One</a></li>' +
        '<li><a href="#the-second-part" dir="auto">The second part</a></li>' +
        '<li class="deeper"><a href="#deeper-deeper" dir="auto">Deeper &amp; deeper</a></li>',
    )
    for (const [, id] of contents.matchAll(/href="#([^"]+)"/g)) assert.match(body, new RegExp(`<h[23] id="${id}"`))
    assert.doesNotMatch((await get(site, '/blog/short')).body, /class="contents"/)
  })

  it('may run scripts of this site if it has code to copy, and none otherwise', async () => {
    const policyOf = async (path: string) => (await get(site, path)).headers.get('content-security-policy') ?? ''
    assert.match(await policyOf('/blog/code'), /; script-src 'self'$/)
    for (const path of ['/', '/blog', '/blog/long']) assert.doesNotMatch(await policyOf(path), /script-src/)
    const { body } = await get(site, '/blog/code')
    const [, script = ''] = /<script type="module" src="([^"]+)"><\/script>/.exec(body) ?? []
    const { status, headers } = await get(site, script)
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/javascript; charset=utf-8'])
    assert.doesNotMatch((await get(site, '/blog/long')).body, /<script(?! type="application\/ld\+json")/)
  })
})
