import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { represent } from '../../src/http/representation.ts'

const TEXT = 'A paragraph of a page. '.repeat(200)
const TYPE = 'text/html; charset=utf-8'

describe('the representation of a page', () => {
  it('is compressed at the first use of an encoding, and only in that one', async () => {
    const page = await represent(TYPE, TEXT, {})
    const { bytes } = page.body('gzip')
    assert.equal(String(gunzipSync(bytes)), TEXT)
    assert.deepEqual(Object.keys(page.bytes), ['identity', 'gzip'])
    assert.equal(page.body('gzip').bytes, bytes)
    assert.equal(String(brotliDecompressSync(page.body('br').bytes)), TEXT)
  })

  it('of the next edition has the bytes of the same content, and the new headers', async () => {
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

  it('is compressed ahead where it is large, and never where it is short', async () => {
    const large = await represent(TYPE, TEXT.repeat(20), {})
    assert.deepEqual(Object.keys(large.bytes), ['identity', 'gzip', 'br'])
    const short = await represent(TYPE, 'short', {})
    assert.equal(short.isUncompressed, true)
    assert.equal(short.body('identity').ok.headers['content-encoding'], undefined)
  })

  it('is estimated to take no less memory than it has when all encodings are made', async () => {
    const page = await represent(TYPE, TEXT, {})
    const estimated = page.estimatedSize
    page.makeAll()
    assert.ok(page.estimatedSize <= estimated)
    assert.ok(page.estimatedSize > TEXT.length)
  })
})
