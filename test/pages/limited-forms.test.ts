import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LIMITED } from '../support/limited.ts'
import { onBothEngines } from '../support/on-both-engines.ts'
import { fieldValue, PageVisitor, signUpOnPages } from '../support/page-visitor.ts'

describe('the forms of a service that limits', () => {
  onBothEngines((service) => {
    it('count as the API does, and say so on the page', async () => {
      const { email } = await signUpOnPages(service)
      const visitor = new PageVisitor(service)
      const attempt = () => visitor.submit('/log-in', 'log-in', { email, password: 'Wrong-Horse-7' })
      for (let count = 0; count < 5; count++) assert.equal((await attempt()).status, 401)
      const limited = await attempt()
      assert.equal(limited.status, 429)
      assert.match(limited.headers.get('retry-after') ?? '', /^\d+$/)
      assert.match(limited.body, /role="alert">Too many requests/)
      assert.equal(fieldValue(limited.body, 'email'), email)
    })
  }, LIMITED)
})
