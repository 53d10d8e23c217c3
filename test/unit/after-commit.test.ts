import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { onBothEngines } from '../support/service.ts'

describe('a function that is called after a commit', () => {
  onBothEngines((service) => {
    it('is called once the transaction is committed', async () => {
      const { database } = service.portico
      let calls = 0
      await database.transaction(async (tx) => {
        database.afterCommit(tx, () => calls++)
        assert.equal(calls, 0)
      })
      assert.equal(calls, 1)
    })

    it('is not called when the transaction rolls back', async () => {
      const { database } = service.portico
      let calls = 0
      const failing = database.transaction(async (tx) => {
        database.afterCommit(tx, () => calls++)
        throw new Error('no')
      })
      await assert.rejects(failing, /^Error: no$/)
      assert.equal(calls, 0)
    })

    it('is refused for a transaction that the database did not begin', async () => {
      const { database } = service.portico
      await database.query.transaction().execute(async (tx) => {
        assert.throws(() => database.afterCommit(tx, () => {}), /only database\.transaction/)
      })
    })
  })
})
