import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Representation, represent } from '../../src/http/representation.ts'
import { ResponseCache } from '../../src/publishing/response-cache.ts'

const TEXT = 'A paragraph of a page. '.repeat(200)
const TYPE = 'text/html; charset=utf-8'

function makeBodies(representation: Representation): void {
  for (const encoding of ['identity', 'gzip', 'br'] as const) representation.body(encoding)
}

describe('the representation of a page', () => {
  it('is compressed at the first use of an encoding, and only in that one', async () => {
    const page = await represent(TYPE, TEXT, {})
    const { bytes } = page.body('gzip')
    assert.equal(String(gunzipSync(bytes)), TEXT)
    assert.deepEqual(Object.keys(page.bytes), ['identity', 'gzip'])
    assert.equal(page.body('gzip').bytes, bytes)
    assert.equal(String(brotliDecompressSync(page.body('br').bytes)), TEXT)
  })

  it('of the next publication has the bytes of the same content, and the new headers', async () => {
    const former = await represent(TYPE, TEXT, { link: '</a>' })
    const next = await represent(TYPE, TEXT, { link: '</b>' }, former)
    // Also those that are compressed for the former one later.
    assert.equal(next.body('br').bytes, former.body('br').bytes)
    assert.equal(next.modified, former.modified)
    assert.equal(next.body('br').ok.headers.link, '</b>')
    const changed = await represent(TYPE, `${TEXT}!`, {}, former)
    assert.notEqual(changed.body('br').etag, former.body('br').etag)
    assert.equal(String(brotliDecompressSync(changed.body('br').bytes)), `${TEXT}!`)
  })

  it('is compressed ahead of its use in all encodings, without prebuilt responses', async () => {
    const page = await represent(TYPE, TEXT, {})
    page.compress()
    const { br } = page.bytes
    assert.deepEqual(Object.keys(page.bytes), ['identity', 'gzip', 'br'])
    assert.equal(page.body('br').bytes, br)
  })

  it('is compressed ahead where it is large, and never where it is short', async () => {
    const large = await represent(TYPE, TEXT.repeat(20), {})
    assert.deepEqual(Object.keys(large.bytes), ['identity', 'gzip', 'br'])
    const short = await represent(TYPE, 'short', {})
    assert.equal(short.isUncompressed, true)
    assert.equal(short.body('identity').ok.headers['content-encoding'], undefined)
  })

  it('counts the memory of all its bodies, also of those that do not become smaller', async () => {
    const page = await represent(TYPE, TEXT, {})
    const before = page.size
    makeBodies(page)
    assert.ok(page.size >= before && page.size < 1.1 * before)
    // Base64 of random bytes is compressed to three quarters. Small bodies are also kept as strings.
    const random = randomBytes(9_000).toString('base64')
    const large = await represent(TYPE, random, {})
    makeBodies(large)
    assert.ok(large.size > 2 * (1 + 0.75 + 0.75) * random.length)
  })
})

describe('the cache of responses', () => {
  it('drops responses whose bodies have grown beyond its limit', async () => {
    const [cache, publication] = [new ResponseCache(), {}]
    const content = () => randomBytes(9_000).toString('base64')
    const keys = Array.from({ length: 1_200 }, (_, index) => `/${index}`)
    for (const key of keys) {
      const source = { type: TYPE, content: content(), headers: {} }
      makeBodies(await cache.prepare(key, publication, source))
    }
    const kept = () => keys.flatMap((key) => cache.find(key, publication) ?? [])
    assert.ok(kept().length < keys.length / 2)
    const bytes = kept().reduce((sum, { size }) => sum + size, 0)
    assert.ok(bytes > 16 * 1024 * 1024 && bytes <= 32 * 1024 * 1024, `${bytes}`)
  })
})
