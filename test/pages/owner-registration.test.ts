import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { newEmail, signUp } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { invitationFor, signUpOwner } from '../support/owners.ts'
import { fieldError, logInOnPages, type PageResponse, PageVisitor } from '../support/page-visitor.ts'
import { type Service, startService } from '../support/service.ts'

const PATH = '/owner/registration'

describe('the page of registration and invitations', () => {
  let service: Service
  let desk: PageVisitor
  const suite = suiteCleanUp()
  before(async () => {
    service = await startService('sqlite')
    cleanUp(suite, () => service.close())
    desk = await logInOnPages(service, (await signUpOwner(service)).email)
  })

  async function change(form: string, fields: Record<string, string>, path = PATH): Promise<PageResponse> {
    const { status, location, body } = await desk.submit(path, form, fields)
    assert.equal(status, 303, body)
    return desk.get(location)
  }

  it('changes the mode and the domains, and keeps what was refused', async () => {
    const { body } = await desk.get(PATH)
    assert.match(body, /name="mode" value="open" checked/)
    assert.match(body, /Nobody is invited/)
    const changed = await change('change', { mode: 'open', allowedDomains: ' Example.net,\r\nexample.org ' })
    assert.match(changed.body, />\nexample\.net\nexample\.org<\/textarea>/)
    const refused = await desk.submit(PATH, 'change', { mode: 'invite', allowedDomains: 'no domain' })
    assert.equal(refused.status, 400)
    assert.match(fieldError(refused.body, 'allowedDomains') ?? '', /must be domains such as/)
    assert.match(refused.body, /name="mode" value="invite" checked/)
    const tooLong = await desk.submit(PATH, 'change', { mode: 'invite', allowedDomains: 'a'.repeat(300) })
    assert.ok(fieldError(tooLong.body, 'allowedDomains'))
    assert.equal((await desk.submit(PATH, 'change', { mode: 'x', allowedDomains: '' })).status, 400)
    await change('change', { mode: 'closed', allowedDomains: '' })
    assert.match((await new PageVisitor(service).get('/sign-up')).body, /Registration is closed/)
    assert.match((await desk.get(`${PATH}.md`)).body, /^- Mode: closed\. Nobody/m)
    await change('change', { mode: 'open', allowedDomains: '' })
  })

  it('invites and revokes, with the address in the question, in pages', async () => {
    const [first, second, third] = [newEmail(), newEmail(), newEmail()]
    for (const email of [first, second, third]) await change('invite', { email, days: '30' })
    assert.equal((await desk.submit(PATH, 'invite', { email: 'x', days: '7' })).status, 400)
    assert.equal((await desk.submit(PATH, 'invite', { email: newEmail(), days: '1000' })).status, 400)
    await signUp(service, { email: second, invitation: await invitationFor(service, second) })
    const page = await desk.get(`${PATH}?limit=1`)
    assert.ok(page.body.includes(third))
    const next = /rel="next" href="([^"]*)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const used = await desk.get(next)
    assert.match(used.body, new RegExp(`href="/owner/person\\?userId=[^"]*"><bdi>${second}</bdi>[\\s\\S]*>Used<`))
    assert.match(page.body, new RegExp(`Revoke the invitation of <bdi>${third}</bdi>\\?`))
    const invitationId = /name="invitationId" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    const revoked = await change('revoke', { invitationId }, `${PATH}?limit=1`)
    assert.match(revoked.body, /The invitation is revoked[\s\S]*>Revoked</)
    const again = await desk.submit(PATH, 'revoke', { invitationId })
    assert.equal(again.status, 404)
    assert.match(again.body, /There is no such open invitation/)
    assert.equal((await desk.submit(PATH, 'revoke', { invitationId: randomUUID() })).status, 404)
    assert.match((await desk.get(`${PATH}.md`)).body, new RegExp(`^- ${first}: open, created 20`, 'm'))
  })
})
