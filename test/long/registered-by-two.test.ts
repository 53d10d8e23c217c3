import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertOwnerAlone, ordersUpTo } from '../support/registration-orders.ts'
import { onBothEngines } from '../support/service.ts'

const CONCURRENCY = 16

describe('an address that its owner and an attacker register', () => {
  onBothEngines((service) => {
    it('belongs to its owner alone, after every order of five steps and a proof of the mailbox', async () => {
      const orders = ordersUpTo(5)
      assert.equal(orders.length, 422)
      for (let done = 0; done < orders.length; done += CONCURRENCY) {
        await Promise.all(orders.slice(done, done + CONCURRENCY).map((order) => assertOwnerAlone(service, order)))
      }
    })
  })
})
