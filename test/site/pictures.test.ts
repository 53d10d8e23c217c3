import assert from 'node:assert/strict'
import { access, mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import sharp from 'sharp'
import { fetchPlain, get } from '../support/api.ts'
import { cleanUp, suiteCleanUp, temporaryFolder } from '../support/clean-up.ts'
import { PNG, photo, turnedPhoto } from '../support/pictures.ts'
import { temporaryDatabase } from '../support/service.ts'
import { eventually, fileErrorsIn, markdown, SITE_ADDRESS, startSiteOn, type TestSite } from '../support/site.ts'

const PHOTO = await photo(900, 200).jpeg({ quality: 95 }).toBuffer()
const TURNED = await turnedPhoto(500, 700)
const TRUNCATED = (await photo(700, 700).jpeg().toBuffer()).subarray(0, 15_000)
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50"><script>alert(1)</script></svg>'
const FILES = {
  'posts/photos.md': markdown(
    { title: 'Photos', date: '2024-01-01' },
    '![One & "two"](photo.jpg "A title")\n\n![Turned](../images/turned.jpg)\n\n![ ](../images/drawing.svg)\n\n![Far](https://cdn.example/x.png)\n',
  ),
  'posts/covered.md': markdown(
    { title: 'Covered', date: '2024-01-02', image: 'photo.jpg', imageAlt: 'A <wide> view' },
    '![Dot](../images/dot.png)',
  ),
  'posts/faulty.md': markdown(
    { title: 'Faulty', date: '2024-01-03', image: '../images/gone.jpg' },
    '![](photo.jpg)\n\n![ok](../images/truncated.jpg)\n\n![no](../images/text.png)',
  ),
  'posts/photo.jpg': PHOTO,
  'images/turned.jpg': TURNED,
  'images/drawing.svg': SVG,
  'images/dot.png': PNG,
  'images/truncated.jpg': TRUNCATED,
  'images/text.png': 'not a picture',
}

/** The `<img>` elements of a page that show its content. */
function picturesIn(body: string): string[] {
  return body.match(/(?:<picture>.*?<\/picture>|<img [^>]*>)/g) ?? []
}

const addressesIn = (element: string) => element.match(/\/assets\/pictures\/[^ "]+/g) ?? []

describe('the pictures of a site', () => {
  const suite = suiteCleanUp()
  const site = {} as TestSite
  let env: Record<string, string>
  let made: string
  before(async () => {
    env = await temporaryDatabase(suite, 'sqlite')
    made = join(env.DATA_DIR ?? '', 'pictures', 'made')
    Object.assign(site, await startSiteOn(env, FILES))
    cleanUp(suite, () => site.close())
  })

  async function elements(path: string): Promise<string[]> {
    return picturesIn((await get(site, path)).body)
  }

  async function readOverMcp(address: string): Promise<string> {
    const response = await fetch(`${site.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'read', arguments: { address } },
      }),
    })
    const { result } = (await response.json()) as { result: { content: [{ text: string }] } }
    return result.content[0].text
  }

  it('have their width and height from the first response on', async () => {
    const [first = '', turned = '', drawing = '', far = ''] = await elements('/blog/photos')
    assert.match(first, /width="900" height="200" fetchpriority="high" decoding="async">/)
    assert.match(first, /alt="One &amp; (?:&quot;|“)two(?:&quot;|”)" width/)
    assert.match(turned, /width="500" height="700" loading="lazy" decoding="async">/)
    assert.equal(
      drawing,
      '<img src="../images/drawing.svg" alt="" width="672" height="336" loading="lazy" decoding="async">',
    )
    assert.equal(far, '<img src="https://cdn.example/x.png" alt="Far" loading="lazy" decoding="async">')
  })

  it('get smaller sizes in AVIF and WebP, at addresses that never change their content', async () => {
    // The sizes of the two pictures are made in any order.
    let [first = '', turned = ''] = ['', '']
    await eventually(async () => {
      ;[first = '', turned = ''] = await elements('/blog/photos')
      for (const element of [first, turned]) assert.match(element, /^<picture>/)
    })
    assert.match(
      first,
      /^<picture><source type="image\/avif" srcset="\S+-480.avif 480w, \S+-800.avif 800w, \S+-900.avif 900w" sizes="\(min-width: 45rem\) 42rem, 100vw"><img src="\S+-900.webp" alt="/,
    )
    assert.match(turned, /-480.avif 480w, \S+-500.avif 500w" sizes="min\(100vw, 500px\)"/)
    for (const path of addressesIn(first + turned)) {
      const { status, headers, body } = await fetchPlain(site, path)
      assert.equal(status, 200, path)
      assert.equal(headers.get('content-type'), `image/${path.split('.').at(-1)}`)
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
      const { width, exif } = await sharp(body).metadata()
      assert.deepEqual([width, exif], [Number(/-(\d+)\.\w+$/.exec(path)?.[1]), undefined])
      const again = await fetchPlain(site, path, { 'if-none-match': headers.get('etag') ?? '' })
      assert.deepEqual([again.status, again.body.length], [304, 0])
    }
    // The original is published unchanged.
    assert.deepEqual((await fetchPlain(site, '/images/turned.jpg')).body, TURNED)
  })

  it('are made again when an entry of the store is damaged or gone', async () => {
    const [path = ''] = addressesIn((await elements('/blog/photos'))[1] ?? '')
    const entry = join(made, path.split('/').at(-1) ?? '')
    const { body } = await fetchPlain(site, path)
    await truncate(entry, 1000)
    assert.deepEqual((await fetchPlain(site, path)).body, body)
    await rm(entry)
    const responses = await Promise.all([1, 2, 3].map(() => fetchPlain(site, path)))
    for (const response of responses) assert.deepEqual(response.body, body)
  })

  it('are not decoded again for a size that was never made', async () => {
    const [path = ''] = addressesIn((await elements('/blog/photos'))[1] ?? '')
    const entry = join(made, path.split('/').at(-1) ?? '')
    await rm(entry)
    for (const original of ['/images/turned.jpg', '/images/drawing.svg']) {
      const other = path.replace('-480', '-481').replace('/images/turned.jpg', original)
      assert.equal((await fetchPlain(site, other)).headers.get('location'), original)
    }
    // Decoding the picture would have made the other sizes again.
    await assert.rejects(access(entry), /ENOENT/)
    assert.equal((await fetchPlain(site, path)).status, 200)
  })

  it('are not sent for a condition that any content meets, if there is none', async () => {
    const [path = ''] = addressesIn((await elements('/blog/photos'))[1] ?? '')
    const any = { 'if-none-match': '*' }
    assert.equal((await fetchPlain(site, path, any)).status, 304)
    assert.equal((await fetchPlain(site, path.replace('-480', '-481'), any)).status, 307)
  })

  it('have no other addresses', async () => {
    const [path = ''] = addressesIn((await elements('/blog/photos'))[1] ?? '')
    for (const other of [
      path.replace('turned', 'gone').replace('-480', '-481'),
      path.replace('.avif', '.png'),
      path.replace('/images', '//images').replace('-480', '-481'),
      '/assets/pictures/',
      '/assets/pictures/../index.json',
      '/assets/pictures/..%2findex.json',
      '/assets/pictures/a-480.avif',
    ])
      assert.equal((await fetchPlain(site, other)).status, 404, other)
  })

  it('lead to the original until this instance has made the size', async () => {
    const [path = ''] = addressesIn((await elements('/blog/photos'))[1] ?? '')
    const { status, headers } = await fetchPlain(site, path.replace('-480', '-481'))
    assert.deepEqual([status, headers.get('location')], [307, '/images/turned.jpg'])
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  it('that have a fault are named in the log, and shown as they are', async () => {
    await eventually(async () => assert.ok(fileErrorsIn(site).some((line) => line.includes('truncated'))))
    const lines = fileErrorsIn(site)
    for (const expected of [
      /^content\/posts\/faulty\.md:\d+: the picture photo\.jpg has no text for readers who do not see it/,
      /^content\/posts\/faulty\.md:4: there is no picture \.\.\/images\/gone\.jpg for "image"/,
      /^content\/images\/truncated\.jpg:1: has no smaller sizes: /,
      /^content\/images\/text\.png:1: is no picture that browsers show/,
    ])
      assert.equal(lines.filter((line) => expected.test(line)).length, 1, `${expected} in ${lines.join('\n')}`)
    assert.equal(lines.length, 4, lines.join('\n'))
    assert.deepEqual((await fetchPlain(site, '/images/truncated.jpg')).body, TRUNCATED)
  })

  it('of the front matter are at the top, in the feeds, in the markdown and in previews', async () => {
    const { body } = await get(site, '/blog/covered')
    const [cover = '', dot = ''] = picturesIn(body)
    assert.match(cover, /class="cover" .*alt="A &lt;wide&gt; view".* fetchpriority="high"/)
    assert.match(dot, /loading="lazy"/)
    assert.match(body, new RegExp(`og:image" content="${SITE_ADDRESS}/blog/photo.jpg"`))
    assert.match(body, /og:image:width" content="900">\n<meta property="og:image:height" content="200">/)
    const rss = (await get(site, '/feed.xml')).body
    const enclosure = `<enclosure length="${PHOTO.length}" type="image/jpeg" url="${SITE_ADDRESS}/blog/photo.jpg"/>`
    assert.ok(rss.includes(enclosure))
    assert.doesNotMatch(rss, /assets\/pictures/)
    assert.match(rss, new RegExp(`<img src="${SITE_ADDRESS}/images/dot.png" [^<>]*width="\\d+" height="\\d+">`))
    const { items } = JSON.parse((await fetchPlain(site, '/feed.json')).body.toString())
    assert.equal(items[1].image, `${SITE_ADDRESS}/blog/photo.jpg`)
    const texts = ['/blog/covered.md', '/llms-full.txt'].map(
      async (path): Promise<string> => (await get(site, path)).body,
    )
    for (const text of await Promise.all([...texts, readOverMcp('/blog/covered')]))
      assert.match(text, /!\[A \\+<wide\\*> view\]\(https:\/\/site\.example\/blog\/photo\.jpg\)/)
  })

  it('are sent as they are now when the file has changed, and not when it has gone', async () => {
    const before = await fetchPlain(site, '/images/dot.png')
    // The folder is watched, so the file is changed and asked for at once.
    await writeFile(join(site.folder, 'images/dot.png'), Buffer.concat([PNG, Buffer.from('more')]))
    const after = await fetchPlain(site, '/images/dot.png', { 'if-none-match': before.headers.get('etag') ?? '' })
    assert.deepEqual([after.status, after.body.length], [200, PNG.length + 4])
    assert.notEqual(after.headers.get('etag'), before.headers.get('etag'))
    const head = await fetchPlain(site, '/images/dot.png', {}, 'HEAD')
    assert.deepEqual([head.headers.get('content-length'), head.body.length], [String(PNG.length + 4), 0])
    await rm(join(site.folder, 'images/dot.png'))
    assert.equal((await fetchPlain(site, '/images/dot.png')).status, 404)
  })

  it('that were deleted or replaced have no sizes any more', async () => {
    const [path = ''] = addressesIn((await elements('/blog/photos'))[1] ?? '')
    assert.equal((await fetchPlain(site, path)).status, 200)
    const other = path.replace('/images/turned.jpg', '/blog/photo.jpg')
    assert.equal((await fetchPlain(site, other)).headers.get('location'), '/blog/photo.jpg')
    await site.remove('images/turned.jpg')
    await eventually(async () => assert.equal((await fetchPlain(site, path)).status, 404))
  })

  it('keep their sizes over a restart', async (t) => {
    const folder = await temporaryFolder(t)
    await mkdir(join(folder, 'posts'))
    for (const name of ['posts/photo.jpg', 'posts/photos.md'] as const) await writeFile(join(folder, name), FILES[name])
    const first = await startSiteOn(env, {}, { CONTENT_DIR: folder })
    cleanUp(t, () => first.close())
    const shown = async (from: TestSite) => picturesIn((await get(from, '/blog/photos')).body)[0] ?? ''
    await eventually(async () => assert.match(await shown(first), /^<picture>/))
    const before = await shown(first)
    await first.close()
    const second = await startSiteOn(env, {}, { CONTENT_DIR: folder })
    cleanUp(t, () => second.close())
    assert.equal(await shown(second), before)
  })
})

describe('the social card of a page', () => {
  const suite = suiteCleanUp()
  const site = {} as TestSite
  before(async () => {
    Object.assign(
      site,
      await startSiteOn(await temporaryDatabase(suite, 'sqlite'), {
        'site.yaml': 'title: Ada’s site\nauthor: Ada\nportrait: /images/me.png\n',
        'images/me.png': PNG,
        'posts/hello.md': markdown({ title: 'Hello & <world>', date: '2024-01-01' }),
        'pages/about.md': markdown({ title: 'About' }),
        'posts/secret.md': markdown({ title: 'Secret', date: '2024-01-01', draft: true }),
      }),
    )
    cleanUp(suite, () => site.close())
  })

  async function cardOf(path: string): Promise<string> {
    const [, address = ''] = /og:image" content="([^"]+)"/.exec((await get(site, path)).body) ?? []
    assert.ok(address.startsWith(`${SITE_ADDRESS}/assets/cards/`), address)
    return address.slice(SITE_ADDRESS.length)
  }

  it('is announced by its page, and drawn once', async () => {
    const { body } = await get(site, '/blog/hello')
    assert.match(body, /og:image:width" content="1200">\n<meta property="og:image:height" content="630">/)
    assert.match(body, /og:image:alt" content="Hello &amp; &lt;world&gt; · Ada’s site">/)
    assert.match(body, /twitter:card" content="summary_large_image">/)
    const path = await cardOf('/blog/hello')
    assert.match(path, /^\/assets\/cards\/blog\/hello-[\w-]{16}\.png$/)
    const [one, two] = await Promise.all([fetchPlain(site, path), fetchPlain(site, path)])
    assert.deepEqual(one.body, two.body)
    assert.deepEqual([one.status, one.headers.get('content-type')], [200, 'image/png'])
    assert.equal(one.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    const { width, height, format } = await sharp(one.body).metadata()
    assert.deepEqual([width, height, format], [1200, 630, 'png'])
  })

  it('exists for every public page, with an address of its own', async () => {
    const paths = await Promise.all(['/', '/blog', '/about', '/docs/content-api'].map(cardOf))
    assert.equal(new Set(paths).size, 4)
    assert.equal((await fetchPlain(site, paths[3] ?? '')).status, 200)
  })

  it('at its former address leads to the present one', async () => {
    const path = await cardOf('/about')
    const former = await fetchPlain(site, path.replace(/-[\w-]{16}\.png$/, '-0123456789abcdef.png'))
    assert.deepEqual([former.status, former.headers.get('location')], [307, path])
  })

  it('is drawn in the look and the colour scheme of the site', async () => {
    const GROUNDS = { 'look: journal': '#fcfaf5', 'look: terminal\ntheme: dark': '#0b0f0d', '': '#fbfaf8' }
    for (const [lines, ground] of Object.entries(GROUNDS)) {
      const former = await cardOf('/about')
      await site.write('site.yaml', `title: Ada’s site\nauthor: Ada\n${lines}\n`)
      await eventually(async () => assert.notEqual(await cardOf('/about'), former))
      const { body } = await fetchPlain(site, await cardOf('/about'))
      const corner = { left: 0, top: 620, width: 1, height: 1 }
      const pixel = await sharp(body).extract(corner).removeAlpha().raw().toBuffer()
      assert.equal(`#${pixel.toString('hex')}`, ground, lines)
    }
  })

  it('does not exist for a draft and for an unknown page', async () => {
    for (const path of ['/blog/secret', '/nothing', '//', '/../..', `/${'a'.repeat(5000)}`])
      assert.equal((await fetchPlain(site, `/assets/cards${path}-0123456789abcdef.png`)).status, 404, path.slice(0, 40))
  })
})
