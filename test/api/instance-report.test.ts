import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createInstanceReport, listInstances } from '../../src/database/instances.ts'
import { onBothEngines } from '../support/service.ts'

const load = () => ({ requests: 0, errors: 0, hashQueue: 0, hashCapacity: 1 })

describe('the report of a process', () => {
  onBothEngines((service) => {
    it('counts the other processes that have reported in the last minutes', async () => {
      const { database } = service.portico
      await database.query.deleteFrom('instances').execute()
      const [first, second] = [createInstanceReport(database, load), createInstanceReport(database, load)]
      assert.equal(first.others(), Number.POSITIVE_INFINITY, 'unknown before the first report')
      await first.write()
      assert.equal(first.others(), 0)
      await second.write()
      assert.equal(second.others(), 1)
      await first.write()
      assert.equal(first.others(), 1)

      await second.remove()
      await first.write()
      assert.equal(first.others(), 0)
      assert.equal((await listInstances(database)).length, 1)

      await second.write()
      await database.query.updateTable('instances').set({ seen_at: 0 }).execute()
      await first.write()
      assert.equal(first.others(), 0, 'the other was killed, and has not reported for long')
    })
  })
})
