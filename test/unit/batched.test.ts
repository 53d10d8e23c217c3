import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { batched } from '../../src/lib/batched.ts'

/** A lookup whose loads are recorded, and end when the test settles them. */
function recordedLookup(maxKeys = 100) {
  const loads: { keys: string[]; settled: PromiseWithResolvers<void> }[] = []
  const find = batched(async (keys) => {
    const settled = Promise.withResolvers<void>()
    loads.push({ keys, settled })
    await settled.promise
    return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, `value of ${key}`]))
  }, maxKeys)
  return { loads, find }
}

describe('a batched lookup', () => {
  it('loads the keys of one iteration of the event loop together, and each of them once', async () => {
    const { loads, find } = recordedLookup()
    const values = Promise.all(['a', 'b', 'a', 'unknown'].map(find))
    await setImmediate()
    assert.deepEqual(
      loads.map(({ keys }) => keys),
      [['a', 'b', 'unknown']],
    )
    loads[0]?.settled.resolve()
    assert.deepEqual(await values, ['value of a', 'value of b', 'value of a', undefined])
  })

  it('starts a new load for a key that is already being loaded, so that no value is older than its call', async () => {
    const { loads, find } = recordedLookup()
    const first = find('a')
    await setImmediate()
    const second = find('a')
    await setImmediate()
    assert.equal(loads.length, 2)
    loads[1]?.settled.resolve()
    assert.equal(await second, 'value of a')
    loads[0]?.settled.resolve()
    assert.equal(await first, 'value of a')
  })

  it('loads at most so many keys together', async () => {
    const { loads, find } = recordedLookup(2)
    const values = Promise.all(['a', 'b', 'c', 'd', 'e'].map(find))
    await setImmediate()
    assert.deepEqual(
      loads.map(({ keys }) => keys),
      [['a', 'b'], ['c', 'd'], ['e']],
    )
    for (const { settled } of loads) settled.resolve()
    assert.deepEqual(
      await values,
      ['a', 'b', 'c', 'd', 'e'].map((key) => `value of ${key}`),
    )
  })

  it('rejects the calls of a load that fails, and no others', async () => {
    const { loads, find } = recordedLookup(2)
    const values = Promise.allSettled(['a', 'b', 'c'].map(find))
    await setImmediate()
    loads[0]?.settled.reject(new Error('no connection'))
    loads[1]?.settled.resolve()
    assert.deepEqual(
      (await values).map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled'],
    )
  })
})
