import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { singleFlight, singleFlightByKey } from '../../src/lib/single-flight.ts'

/** Runs that end when the test settles them. */
function pendingRuns() {
  const runs: PromiseWithResolvers<string>[] = []
  const run = () => {
    const begun = Promise.withResolvers<string>()
    runs.push(begun)
    return begun.promise
  }
  return { runs, run }
}

describe('a single flight', () => {
  it('has one result for concurrent callers, and a later call starts another one', async () => {
    const { runs, run } = pendingRuns()
    const shared = singleFlight(run)
    const results = Promise.all([shared(), shared()])
    assert.equal(runs.length, 1)
    runs[0]?.resolve('first')
    assert.deepEqual(await results, ['first', 'first'])
    const later = shared()
    assert.equal(runs.length, 2)
    runs[1]?.resolve('second')
    assert.equal(await later, 'second')
  })

  it('that fails rejects for all its callers, and a later call starts another one', async () => {
    const { runs, run } = pendingRuns()
    const shared = singleFlight(run)
    const results = Promise.allSettled([shared(), shared()])
    runs[0]?.reject(new Error('no'))
    assert.deepEqual(
      (await results).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    const later = shared()
    runs[1]?.resolve('second')
    assert.equal(await later, 'second')
  })

  it('is shared by callers with the same key only', async () => {
    const { runs, run } = pendingRuns()
    const share = singleFlightByKey<string>()
    const results = Promise.all([share('a', run), share('b', run), share('a', run)])
    assert.equal(runs.length, 2)
    runs[0]?.resolve('of a')
    runs[1]?.resolve('of b')
    assert.deepEqual(await results, ['of a', 'of b', 'of a'])
    const later = share('a', run)
    runs[2]?.resolve('again')
    assert.equal(await later, 'again')
  })
})
