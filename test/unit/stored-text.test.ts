import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StoredText } from '../../src/lib/stored-text.ts'

describe('a stored text', () => {
  for (const text of ['', 'plain\n', 'Grüße, 世界 💙\u2028', 'x'.repeat(100_000)]) {
    it(`of ${text.length} characters has its length and its characters`, () => {
      const stored = new StoredText(text)
      assert.equal(stored.length, text.length)
      assert.equal(`${stored}`, text)
    })
  }

  it('has no characters on the heap of JavaScript', () => {
    const MEBIBYTE = 1024 * 1024
    const before = process.memoryUsage()
    const texts = Array.from({ length: 1000 }, () => new StoredText('x'.repeat(MEBIBYTE / 64)))
    const after = process.memoryUsage()
    assert.equal(texts.length, 1000)
    assert.ok(after.arrayBuffers - before.arrayBuffers > 15 * MEBIBYTE, 'bytes outside the heap')
  })
})
