import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createInstanceReport, listInstances } from '../../src/database/instances.ts'
import { onBothEngines } from '../support/service.ts'

const load = () => ({ requests: 0, errors: 0, hashQueue: 0, hashCapacity: 1 })

describe('the report of a process', () => {
  onBothEngines((service) => {
    it('says that a process is the only one when no other has reported in the last minutes', async () => {
      const { database } = service.portico
      await database.query.deleteFrom('instances').execute()
      const [first, second] = [createInstanceReport(database, load), createInstanceReport(database, load)]
      assert.equal(first.isOnly(), false, 'unknown before the first report')
      await first.write()
      assert.equal(first.isOnly(), true)
      await second.write()
      assert.equal(second.isOnly(), false)
      await first.write()
      assert.equal(first.isOnly(), false)

      await second.remove()
      await first.write()
      assert.equal(first.isOnly(), true)
      assert.equal((await listInstances(database)).length, 1)

      await second.write()
      await database.query.updateTable('instances').set({ seen_at: 0 }).execute()
      await first.write()
      assert.equal(first.isOnly(), true, 'the other was killed, and has not reported for long')
    })
  })
})
