import assert from 'node:assert/strict'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { fetchPlain, get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, fileErrorsIn, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
// Large enough to be compressed if its type were compressible.
const PHOTO = Buffer.concat([PNG, Buffer.alloc(2_000)])
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script>${'<g/>'.repeat(200)}</svg>`

const FILES = {
  'posts/post.md': markdown(
    { title: 'Post', date: '2024-01-01' },
    '![a](beside.png) ![b](../images/deep/photo.jpg)\n![c](/images/my%20cat.webp) ![d](https://cdn.example/x.png)',
  ),
  'posts/beside.png': PNG,
  'pages/about.md': markdown({ title: 'About' }, '![a](me.avif) ![b](images/drawing.svg) ![c](/favicon.svg)'),
  'pages/me.avif': PNG,
  'images/deep/photo.jpg': PHOTO,
  'images/my cat.webp': PNG,
  'images/drawing.svg': SVG,
  'images/SHOUTED.PNG': PNG,
  'images/cv.pdf': '%PDF-1.4',
  'images/page.html': '<script>alert(1)</script>',
  'images/script.js': 'alert(1)',
  'images/notes.txt': 'not for you',
  'images/.hidden.png': PNG,
  'elsewhere/photo.png': PNG,
  'top.png': PNG,
}
const PUBLISHED: [path: string, type: string, content: string | Buffer][] = [
  ['/blog/beside.png', 'image/png', PNG],
  ['/me.avif', 'image/avif', PNG],
  ['/images/deep/photo.jpg', 'image/jpeg', PHOTO],
  ['/images/my%20cat.webp', 'image/webp', PNG],
  ['/images/drawing.svg', 'image/svg+xml', SVG],
  ['/images/SHOUTED.PNG', 'image/png', PNG],
  ['/images/cv.pdf', 'application/pdf', '%PDF-1.4'],
]

describe('pictures and other files', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(FILES))
    cleanUp(suite, () => site.close())
  })

  for (const [path, type, content] of PUBLISHED) {
    it(`${path} is served unchanged, with an ETag and nosniff`, async () => {
      const { status, headers, body } = await fetchPlain(site, path)
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), type)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/)
      assert.match(headers.get('cache-control') ?? '', /^public, max-age=\d+/)
      assert.deepEqual(body, Buffer.from(content))
      const again = await fetchPlain(site, path, { 'if-none-match': headers.get('etag') ?? '' })
      assert.deepEqual([again.status, again.body.length], [304, 0])
    })
  }

  it('are compressed only where that makes them smaller', async () => {
    const accept = { 'accept-encoding': 'br, gzip' }
    assert.equal((await fetchPlain(site, '/images/deep/photo.jpg', accept)).headers.get('content-encoding'), null)
    assert.equal((await fetchPlain(site, '/images/drawing.svg', accept)).headers.get('content-encoding'), 'br')
  })

  it('run no script, also when an SVG is opened by itself', async () => {
    const { headers } = await fetchPlain(site, '/images/drawing.svg')
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /sandbox/)
    assert.doesNotMatch(policy, /script|allow-/)
  })

  it('are shown at the URLs of the text, which are absolute in its markdown', async () => {
    for (const [path, pictures] of [
      ['/blog/post', ['beside.png', '../images/deep/photo.jpg', '/images/my%20cat.webp']],
      ['/about', ['me.avif', 'images/drawing.svg', '/favicon.svg']],
    ] as const) {
      for (const form of [path, `${path}.md`]) {
        const { body } = await get(site, form)
        for (const picture of pictures) {
          const url = new URL(picture, SITE_ADDRESS + path)
          assert.ok(body.includes(form === path ? picture : `(${url})`), picture)
          assert.equal((await get(site, url.pathname)).status, 200, picture)
        }
      }
    }
    assert.deepEqual(fileErrorsIn(site), [])
  })

  it('are those of a known type in the folders for them, and no other file', async () => {
    for (const path of [
      '/images/page.html',
      '/images/script.js',
      '/images/notes.txt',
      '/images/.hidden.png',
      '/elsewhere/photo.png',
      '/top.png',
      '/posts/beside.png',
      '/images/',
      '/images',
      '/images/deep/../../site.yaml',
      '/images/..%2fposts%2fpost.md',
    ]) {
      const { status, body } = await fetchPlain(site, path)
      assert.equal(status, 404, path)
      assert.doesNotMatch(body.toString(), /alert|not for you/)
    }
  })
})

describe('a picture', () => {
  it('that readers would not see is logged with its line', async (test) => {
    const text =
      'Fine.\n\nTwo\nlines ![a](gone.png)\n\n| a |\n|---|\n| ![b](http://cdn.example/x.png) |\n\n![c](/images/no.png)'
    const site = await startSite({
      'posts/post.md': markdown({ title: 'Post', date: '2024-01-01' }, `\n${text}`),
      'posts/draft.md': markdown({ title: 'Draft', date: '2024-01-01', draft: true }, '![](later.png)'),
    })
    cleanUp(test, () => site.close())
    assert.deepEqual(fileErrorsIn(site), [
      'content/posts/post.md:9: there is no picture gone.png: it belongs in images/, or beside this file',
      'content/posts/post.md:13: the picture http://cdn.example/x.png is not shown: it must come from https',
      'content/posts/post.md:15: there is no picture /images/no.png: it belongs in images/, or beside this file',
    ])
    assert.equal((await get(site, '/blog/post')).status, 200)
  })

  it('shows without a restart when it is added, changed and removed', async (test) => {
    const site = await startSite({ 'posts/post.md': markdown({ title: 'Post', date: '2024-01-01' }) })
    cleanUp(test, () => site.close())
    const picture = () => fetchPlain(site, '/images/a.png')
    assert.equal((await picture()).status, 404)
    await site.write('images/a.png', PNG)
    await eventually(async () => assert.deepEqual((await picture()).body, PNG))
    await site.write('images/a.png', PHOTO)
    await eventually(async () => assert.deepEqual((await picture()).body, PHOTO))
    await site.remove('images/a.png')
    await eventually(async () => assert.equal((await picture()).status, 404))
  })

  it('that is too large is logged and left out', async (test) => {
    const site = await startSite({ 'images/huge.png': Buffer.alloc(10 * 1024 * 1024 + 1) })
    cleanUp(test, () => site.close())
    assert.deepEqual(fileErrorsIn(site), ['content/images/huge.png:1: is larger than 10 MiB'])
    assert.equal((await get(site, '/images/huge.png')).status, 404)
  })

  it('that is a link out of the folder is logged and left out; one within it is a picture', async (test) => {
    const site = await startSite({ 'images/real.png': PNG })
    cleanUp(test, () => site.close())
    const outside = await startSite({ 'secret.png': PNG })
    cleanUp(test, () => outside.close())
    await symlink(join(outside.folder, 'secret.png'), join(site.folder, 'images/out.png'))
    await symlink(outside.folder, join(site.folder, 'posts'))
    await symlink(join(site.folder, 'images/real.png'), join(site.folder, 'images/in.png'))
    await eventually(async () => assert.equal((await get(site, '/images/in.png')).status, 200))
    for (const path of ['/images/out.png', '/blog/secret.png']) assert.equal((await get(site, path)).status, 404, path)
    assert.deepEqual(
      new Set(fileErrorsIn(site)),
      new Set(['images/out.png', 'posts/secret.png'].map((file) => `content/${file}:1: ${LEADS_OUT}`)),
    )
  })
})

const LEADS_OUT = 'is a link that leads out of the content folder'

describe('the icon of the site', () => {
  for (const [file, type] of [
    ['favicon.svg', 'image/svg+xml'],
    ['favicon.png', 'image/png'],
    ['favicon.ico', 'image/x-icon'],
  ] as const) {
    it(`is ${file} of the content folder, for requests of favicon.ico too`, async (test) => {
      const site = await startSite({})
      cleanUp(test, () => site.close())
      assert.match((await get(site, '/')).body, /<link rel="icon" href="\/favicon\.svg">/)
      assert.equal((await get(site, '/favicon.ico')).headers.get('content-type'), 'image/svg+xml')

      await writeFile(join(site.folder, file), PNG)
      await eventually(async () =>
        assert.match((await get(site, '/')).body, new RegExp(`<link rel="icon" href="/${file}">`)),
      )
      for (const path of [`/${file}`, '/favicon.ico']) {
        const { status, headers, body } = await fetchPlain(site, path)
        assert.deepEqual([status, headers.get('content-type'), body], [200, type, PNG])
      }
      if (file !== 'favicon.svg') assert.equal((await get(site, '/favicon.svg')).status, 404)
    })
  }
})
