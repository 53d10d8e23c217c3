import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { countAccounts } from '../support/accounts.ts'
import { codeFor, newEmail, PASSWORD } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { invite, setRegistration } from '../support/owners.ts'
import { fieldValue, PageVisitor } from '../support/page-visitor.ts'
import { type Service, startService } from '../support/service.ts'

describe('the sign-up page', () => {
  let service: Service
  const suite = suiteCleanUp()
  before(async () => {
    service = await startService('sqlite')
    cleanUp(suite, () => service.close())
  })
  const hasForm = (body: string) => body.includes('name="password"')
  const person = { firstName: 'Grace', lastName: 'Hopper', password: PASSWORD, confirmPassword: PASSWORD }

  it('says that registration is closed, and the log-in page has no link to it', async () => {
    const visitor = new PageVisitor(service)
    assert.match((await visitor.get('/log-in')).body, /href="\/sign-up"/)
    await setRegistration(service, { mode: 'closed' })
    const { status, body } = await visitor.get('/sign-up')
    assert.equal(status, 200)
    assert.match(body, /Registration is closed/)
    assert.equal(hasForm(body), false)
    assert.doesNotMatch((await visitor.get('/log-in')).body, /href="\/sign-up"/)
    const sent = await visitor.submit('/sign-up', 'sign-up', { ...person, email: newEmail() })
    assert.equal(sent.status, 403)
    assert.match(sent.body, /Registration is closed/)
  })

  it('takes the invitation from the mailed link to the account', async () => {
    await setRegistration(service, { mode: 'invite' })
    const visitor = new PageVisitor(service)
    const without = await visitor.get('/sign-up')
    assert.match(without.body, /Registration is by invitation/)
    assert.equal(hasForm(without.body), false)
    const email = newEmail()
    const { token } = await invite(service, email)
    const path = `/sign-up?invitation=${token}`
    const { body, headers } = await visitor.get(path)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('referrer-policy'), 'strict-origin')
    assert.match(body, /<input type="email"[^>]* readonly>/)
    const fields = { email: fieldValue(body, 'email') ?? '', invitation: fieldValue(body, 'invitation') ?? '' }
    assert.deepEqual(fields, { email, invitation: token })
    // A refused form keeps the invitation.
    const refused = await visitor.submit('/sign-up', 'sign-up', { ...person, ...fields, confirmPassword: 'Other-1' })
    assert.equal(refused.status, 400)
    assert.equal(fieldValue(refused.body, 'invitation'), token)
    assert.equal((await visitor.submit('/sign-up', 'sign-up', { ...person, ...fields })).status, 303)
    const verificationCode = await codeFor(service, email)
    assert.equal((await visitor.submit('/verify-email', 'verify', { email, verificationCode })).location, '/account')
    const again = await new PageVisitor(service).get(path)
    assert.match(again.body, /This invitation is too old, or was used or withdrawn/)
    assert.equal(hasForm(again.body), false)
    assert.equal(again.body.includes(email), false)
  })

  it('names the domains that may sign up, and refuses others', async () => {
    await setRegistration(service, { mode: 'open', allowedDomains: ['example.net', 'example.org'] })
    const visitor = new PageVisitor(service)
    assert.match((await visitor.get('/sign-up')).body, /Only addresses of example\.net, example\.org can sign up/)
    const email = newEmail()
    const { status, body } = await visitor.submit('/sign-up', 'sign-up', { ...person, email })
    assert.equal(status, 403)
    assert.match(body, /Registration is open to certain mail domains only/)
    assert.equal(await countAccounts(service, email), 0)
  })
})
