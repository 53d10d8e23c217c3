import { describe, it } from 'node:test'
import { assertRevokedEverywhere, onThreeInstances } from '../support/concurrency.ts'

const ROUNDS = 200

describe('a session that was ended at one of three instances', () => {
  onThreeInstances((instances) => {
    it(`is refused by the first request to each, ${ROUNDS} times`, () => assertRevokedEverywhere(instances, ROUNDS))
  })
})
