import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { when } from '../../src/lib/maybe-promise.ts'

describe('when', () => {
  it('goes on at once with what is here', () => {
    assert.equal(
      when(2, (two) => two + 1),
      3,
    )
    assert.throws(() => when(undefined, () => assert.fail('here')), /here/)
  })

  it('goes on later with what is promised', async () => {
    const order: string[] = []
    const later = when(Promise.resolve(2), (two) => {
      order.push('then')
      return two + 1
    })
    order.push('first')
    assert.equal(await later, 3)
    assert.deepEqual(order, ['first', 'then'])
  })

  it('does not go on with what failed', async () => {
    const failed = when(Promise.reject(new Error('lost')), () => assert.fail('went on'))
    await assert.rejects(Promise.resolve(failed), /lost/)
  })
})
