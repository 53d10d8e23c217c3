import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chain } from '../../src/lib/maybe-promise.ts'

describe('chain', () => {
  it('calls the next step synchronously with a value', () => {
    assert.equal(
      chain(2, (two) => two + 1),
      3,
    )
    assert.throws(() => chain(undefined, () => assert.fail('here')), /here/)
  })

  it('calls the next step after a promise has resolved', async () => {
    const order: string[] = []
    const later = chain(Promise.resolve(2), (two) => {
      order.push('then')
      return two + 1
    })
    order.push('first')
    assert.equal(await later, 3)
    assert.deepEqual(order, ['first', 'then'])
  })

  it('does not call the next step after a rejection', async () => {
    const failed = chain(Promise.reject(new Error('lost')), () => assert.fail('went on'))
    await assert.rejects(Promise.resolve(failed), /lost/)
  })
})
