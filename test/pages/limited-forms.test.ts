import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newEmail, PASSWORD } from '../support/api.ts'
import { fieldValue, PageVisitor, signUpOnPages } from '../support/page-visitor.ts'
import { ANY_PICTURE } from '../support/pictures.ts'
import { LIMITED } from '../support/rate-limits.ts'
import { onBothEngines } from '../support/service.ts'

describe('the forms of a service with rate limits', () => {
  onBothEngines((service) => {
    it('count like the API, and show the error on the page', async () => {
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

  onBothEngines(
    (service) => {
      it('limit registrations and uploads too', async () => {
        const { visitor } = await signUpOnPages(service)
        const fields = { firstName: 'Ada', lastName: 'Lovelace', password: PASSWORD, confirmPassword: PASSWORD }
        const guest = new PageVisitor(service)
        const signUp = await guest.submit('/sign-up', 'sign-up', { ...fields, email: newEmail() })
        const upload = () => visitor.upload('/account', 'avatar', ANY_PICTURE)
        assert.equal((await upload()).status, 303)
        for (const limited of [signUp, await upload()]) {
          assert.equal(limited.status, 429)
          assert.match(limited.headers.get('retry-after') ?? '', /^\d+$/)
          assert.match(limited.body, /role="alert">Too many requests/)
        }
      })
    },
    { ...LIMITED, RATE_LIMIT_REGISTRATION: '1/1h', RATE_LIMIT_UPLOAD: '1/1h' },
  )
})
