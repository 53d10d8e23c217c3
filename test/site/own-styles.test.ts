import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, fileErrorsIn, startSite, type TestSite } from '../support/site.ts'

const OWN = /<link rel="stylesheet" href="(\/assets\/own\.[0-9a-f]{12}\.css)">/

describe('the style sheet site.css', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite({ 'site.css': ':root { --measure: 50rem }\n' }))
    cleanUp(suite, () => site.close())
  })
  const ownPath = async (page = '/') => OWN.exec((await get(site, page)).body)?.[1] ?? ''

  it('follows the style sheet of the site on every page, and may be cached for ever', async () => {
    const { body } = await get(site, '/log-in')
    assert.ok(body.search(OWN) > body.indexOf('/assets/public.'))
    const { status, headers, body: css } = await get(site, await ownPath())
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/css; charset=utf-8'])
    assert.match(headers.get('cache-control') ?? '', /immutable/)
    assert.equal(css, ':root { --measure: 50rem }\n')
  })

  it('changes when it is saved, and its former version stays for cached pages', async () => {
    const former = await ownPath()
    await site.write('site.css', 'a { color: red }\n')
    await eventually(async () => assert.notEqual(await ownPath(), former))
    assert.equal((await get(site, await ownPath())).body, 'a { color: red }\n')
    assert.equal((await get(site, former)).status, 200)
  })

  it('is named with its lines when browsers would not load what it refers to', async () => {
    await site.write(
      'site.css',
      `@import "https://fonts.example/a.css";
@import url(//fonts.example/a.css);
@font-face { src: url("https://fonts.example/a.woff2") }
body { background: url(http://pictures.example/a.png) }
main { background: url(/favicon.svg), url("https://pictures.example/a.png") }
`,
    )
    const words = 'browsers do not load this file of another site: put it in the content folder'
    await eventually(async () =>
      assert.deepEqual(
        fileErrorsIn(site),
        [1, 2, 3, 4].map((line) => `content/site.css:${line}: ${words}`),
      ),
    )
  })

  it('is left out if it is too large', async () => {
    await site.write('site.css', `/*${'x'.repeat(100 * 1024)}*/`)
    await eventually(async () => assert.equal(await ownPath(), ''))
    assert.equal(fileErrorsIn(site).at(-1), 'content/site.css:1: is larger than 100 KiB')
  })
})
