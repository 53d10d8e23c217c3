import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LazyMap } from '../../src/lib/lazy-map.ts'

describe('a lazy map', () => {
  it('makes a value when it is first read, and once', () => {
    const made: number[] = []
    const map = new LazyMap(
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      (source) => {
        made.push(source)
        return { source }
      },
    )
    assert.deepEqual([map.size, map.has('a'), map.has('c'), [...map.keys()]], [2, true, false, ['a', 'b']])
    assert.deepEqual(made, [])
    assert.deepEqual(map.get('b'), { source: 2 })
    assert.equal(map.get('b'), map.get('b'))
    assert.equal(map.get('c'), undefined)
    assert.deepEqual(made, [2])
  })
})
