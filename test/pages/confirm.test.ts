import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { removePassword, someone } from '../support/accounts.ts'
import { codeFor, PASSWORD } from '../support/api.ts'
import { logInOnPages, PageVisitor } from '../support/page-visitor.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const CONFIRM = '/account/confirm?return_to=%2Faccount%2Fsecurity'
const FIRST_PASSWORD = { newPassword: 'Brand-New-Horse-8', confirmPassword: 'Brand-New-Horse-8' }

/** A browser whose session has proved no identity for an hour. */
async function unprovenVisitor(service: Service, { withPassword }: { withPassword: boolean }) {
  const { email } = await someone(service)
  const visitor = await logInOnPages(service, email)
  if (!withPassword) await removePassword(service, email)
  await service.advanceTime({ hours: 1 })
  return { visitor, email }
}

describe('the page that asks for a proof of identity', () => {
  onBothEngines((service) => {
    it('is where a form without a recent proof leads, and leads back after a mailed code', async () => {
      const { visitor, email } = await unprovenVisitor(service, { withPassword: false })
      const refused = await visitor.submit('/account/security', 'password', FIRST_PASSWORD)
      assert.deepEqual([refused.status, refused.location], [303, CONFIRM])

      const page = await visitor.get(CONFIRM)
      assert.match(page.body, /We can mail a code to/)
      assert.doesNotMatch(page.body, /type="password"/)
      const sent = await visitor.submit(CONFIRM, 'send-code')
      assert.deepEqual([sent.status, sent.location], [303, CONFIRM])

      const before = visitor.cookies.get('portico_session')
      const proven = await visitor.submit(CONFIRM, 'mailed-code', { mailedCode: await codeFor(service, email) })
      assert.deepEqual([proven.status, proven.location], [303, '/account/security'])
      assert.notEqual(visitor.cookies.get('portico_session'), before)
      const set = await visitor.submit('/account/security', 'password', FIRST_PASSWORD)
      assert.deepEqual([set.status, set.location], [303, '/account/security'])
    })

    it('asks an account with a password for the password, and shows a wrong one', async () => {
      const { visitor } = await unprovenVisitor(service, { withPassword: true })
      const page = await visitor.get(CONFIRM)
      assert.match(page.body, /autocomplete="current-password"/)
      assert.doesNotMatch(page.body, /Mail me a code/)
      const wrong = await visitor.submit(CONFIRM, 'password', { password: 'Wrong-Horse-7' })
      assert.equal(wrong.status, 400)
      assert.match(wrong.body, /Password is incorrect\./)
      const proven = await visitor.submit(CONFIRM, 'password', { password: PASSWORD })
      assert.deepEqual([proven.status, proven.location], [303, '/account/security'])
    })

    it('ends the copy of a cookie that was made before', async () => {
      const { visitor } = await unprovenVisitor(service, { withPassword: true })
      const thief = new PageVisitor(service)
      for (const [name, value] of visitor.cookies) thief.cookies.set(name, value)
      assert.equal((await visitor.submit(CONFIRM, 'password', { password: PASSWORD })).status, 303)
      assert.match((await thief.get('/account')).location, /^\/log-in/)
      assert.equal((await visitor.get('/account')).status, 200)
    })

    it('leads to no other site', async () => {
      const { visitor } = await unprovenVisitor(service, { withPassword: true })
      const path = '/account/confirm?return_to=https%3A%2F%2Fevil.example'
      const proven = await visitor.submit(path, 'password', { password: PASSWORD })
      assert.equal(proven.location, '/account')
    })
  })
})
