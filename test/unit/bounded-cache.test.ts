import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BoundedCache } from '../../src/lib/bounded-cache.ts'

const MAX_BYTES = 100_000

describe('a bounded cache', () => {
  it('never uses more bytes than its bound, however many entries and however long their keys', () => {
    const cache = new BoundedCache<number>(MAX_BYTES)
    for (let number = 0; number < 5000; number++) {
      cache.set(`${number}${'x'.repeat(number % 3000)}`, number)
      assert.ok(cache.bytes <= MAX_BYTES)
    }
    assert.ok(cache.size > 0)
    assert.ok(cache.size * 300 <= MAX_BYTES)
  })

  it('drops the oldest entries to make room', () => {
    const cache = new BoundedCache<number>(MAX_BYTES)
    for (let number = 0; number < 1000; number++) cache.set(`key ${number}`, number)
    assert.equal(cache.get('key 0'), undefined)
    assert.equal(cache.get('key 999'), 999)
  })

  it('keeps nine tenths of its bound in use when it is full', () => {
    const cache = new BoundedCache<number>(MAX_BYTES)
    for (let number = 0; number < 1000; number++) {
      cache.set(`key ${number}`, number)
      if (number > 400) assert.ok(cache.bytes > 0.9 * MAX_BYTES)
    }
  })

  it('does not store an entry that is larger than the bound, nor drop others for it', () => {
    const cache = new BoundedCache<number>(MAX_BYTES)
    cache.set('small', 1)
    cache.set('x'.repeat(MAX_BYTES), 2)
    assert.equal(cache.size, 1)
    assert.equal(cache.get('small'), 1)
  })

  it('counts an entry that is set again once', () => {
    const cache = new BoundedCache<number>(MAX_BYTES)
    cache.set('key', 1)
    const { bytes } = cache
    cache.set('key', 2)
    assert.deepEqual([cache.get('key'), cache.size, cache.bytes], [2, 1, bytes])
  })

  it('never returns an expired entry, and drops it', (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    const cache = new BoundedCache<number>(MAX_BYTES)
    cache.set('key', 1, 1_001_000)
    t.mock.timers.setTime(1_000_999)
    assert.equal(cache.get('key'), 1)
    t.mock.timers.setTime(1_001_000)
    assert.equal(cache.get('key'), undefined)
    assert.deepEqual([cache.size, cache.bytes], [0, 0])
  })

  it('drops all expired entries on request, and no other', (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    const cache = new BoundedCache<number>(MAX_BYTES)
    for (let number = 0; number < 100; number++) cache.set(`short ${number}`, number, 1_001_000)
    cache.set('long', 1, 1_002_000)
    cache.set('without end', 2)
    t.mock.timers.setTime(1_001_500)
    cache.dropExpired()
    assert.equal(cache.size, 2)
    assert.deepEqual([cache.get('long'), cache.get('without end')], [1, 2])
  })
})
