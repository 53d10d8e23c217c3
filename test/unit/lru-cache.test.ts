import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LruCache } from '../../src/lib/lru-cache.ts'

function filled(): LruCache<string, string> {
  const cache = new LruCache<string, string>(10, ({ length }) => length)
  for (const value of ['aaa', 'bbb', 'ccc']) cache.set(value, value)
  return cache
}

describe('the LRU cache', () => {
  it('drops the entries that were used least recently', () => {
    const cache = filled()
    cache.get('aaa')
    cache.set('dddd', 'dddd')
    assert.deepEqual([...cache.keys()], ['ccc', 'aaa', 'dddd'])
    assert.equal(cache.size, 10)
  })

  it('keeps its entries when another one is larger than all of it', () => {
    const cache = filled()
    cache.set('large', 'x'.repeat(11))
    assert.deepEqual([...cache.keys()], ['aaa', 'bbb', 'ccc'])
    cache.set('aaa', 'x'.repeat(11))
    assert.deepEqual([cache.get('aaa'), cache.size], [undefined, 6])
  })
})
