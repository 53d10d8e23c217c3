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
})
