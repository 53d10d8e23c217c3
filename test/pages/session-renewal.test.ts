import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAlive, assertEnded, listSessions, NEW_PASSWORD, removePassword, someone } from '../support/accounts.ts'
import { assertSucceeded, eventTypes, logIn, mailsTo, PASSWORD, post } from '../support/api.ts'
import { logInOnPages, type PageResponse, PageVisitor } from '../support/page-visitor.ts'
import { withProviders } from '../support/providers.ts'
import { signedIn } from '../support/sign-in-steps.ts'

const PATH = '/account/security'
const newPassword = { newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }

describe("a browser's session", () => {
  withProviders((service, providers) => {
    /** A browser that is signed in, and another that has copied its cookie. */
    async function copiedCookie(email: string) {
      const visitor = await logInOnPages(service, email)
      const copy = new PageVisitor(service)
      copy.cookies.set('portico_session', visitor.cookies.get('portico_session') ?? '')
      assert.equal((await copy.get('/account')).status, 200)
      return { visitor, copy }
    }

    /** The browser continues with a new session, and the copy of its cookie is refused. */
    async function assertRenewed(email: string, change: (visitor: PageVisitor) => Promise<PageResponse>) {
      const { visitor, copy } = await copiedCookie(email)
      const response = await change(visitor)
      assert.deepEqual([response.status, response.location], [303, PATH], response.body)
      assert.notEqual(visitor.cookies.get('portico_session'), copy.cookies.get('portico_session'))
      assert.match((await copy.get('/account')).location, /^\/log-in/)
      assert.equal((await visitor.get('/account')).status, 200)
    }

    it('is renewed when its owner changes the password: a copied cookie is refused', async () => {
      const { email } = await someone(service)
      await assertRenewed(email, (visitor) =>
        visitor.submit(PATH, 'password', { currentPassword: PASSWORD, ...newPassword }),
      )
    })

    it('survives a second request with the old cookie, as a double click sends it', async () => {
      const { email } = await someone(service)
      const { visitor, copy } = await copiedCookie(email)
      const fields = { currentPassword: PASSWORD, ...newPassword }
      assert.equal((await visitor.submit(PATH, 'password', fields)).status, 303)
      const late = await copy.submit(PATH, 'password', fields)
      assert.match(late.location, /^\/log-in/)
      assert.ok(!late.headers.getSetCookie().some((line) => line.startsWith('portico_session=')))
      assert.equal((await visitor.get('/account')).status, 200)
    })

    it('is renewed when its owner sets a first password', async () => {
      const { email } = await someone(service)
      await assertRenewed(email, async (visitor) => {
        await removePassword(service, email)
        return visitor.submit(PATH, 'password', newPassword)
      })
    })

    it('is renewed when its owner unlinks a provider', async () => {
      const { email } = await someone(service)
      await signedIn(service, providers.idp, providers.idp.people.admit({ email }))
      await assertRenewed(email, (visitor) => visitor.submit(PATH, 'unlink', { provider: 'idp' }))
    })

    it('keeps its beginning and its device in the list, and causes no notice of a new sign-in', async () => {
      const { email } = await someone(service)
      await service.advanceTime({ days: 3 })
      const visitor = await logInOnPages(service, email)
      const owner = await logIn(service, { email, password: PASSWORD })
      await service.advanceTime({ days: 2 })
      const before = (await listSessions(service, owner)).filter(({ isCurrent }) => !isCurrent)
      const mails = await mailsTo(service, email)
      await visitor.submit(PATH, 'password', { currentPassword: PASSWORD, ...newPassword })
      const reader = await logIn(service, { email, password: NEW_PASSWORD })
      const active = (await listSessions(service, reader)).filter(({ revokedAt }) => revokedAt === null)
      const renewed = active.find(({ isCurrent }) => !isCurrent)
      assert.equal(active.length, 2)
      assert.ok(before.some(({ createdAt }) => createdAt === renewed?.createdAt))
      assert.ok(!before.some(({ sessionId }) => sessionId === renewed?.sessionId))
      assert.deepEqual(
        (await mailsTo(service, email)).slice(0, -mails.length || undefined).map(({ subject }) => subject),
        ['Your password was changed - Portico'],
      )
      assert.deepEqual((await eventTypes(service, reader)).slice(0, 2), ['session.started', 'password.changed'])
    })

    it('is not renewed by a form that was refused', async () => {
      const { email } = await someone(service)
      const { visitor, copy } = await copiedCookie(email)
      await visitor.submit(PATH, 'password', { currentPassword: 'Wrong-Horse-7', ...newPassword })
      assert.equal(visitor.cookies.get('portico_session'), copy.cookies.get('portico_session'))
      assert.equal((await visitor.get('/account')).status, 200)
    })

    it('is renewed by one of two concurrent password changes from one browser, and the other is refused', async () => {
      const { email } = await someone(service)
      const { visitor, copy } = await copiedCookie(email)
      const change = { currentPassword: PASSWORD, ...newPassword }
      const responses = await Promise.all([visitor, copy].map((each) => each.submit(PATH, 'password', change)))
      const renewed = responses.filter(({ location }) => location === PATH)
      assert.equal(renewed.length, 1)
      const active = (await listSessions(service, await logIn(service, { email, password: NEW_PASSWORD }))).filter(
        ({ revokedAt }) => revokedAt === null,
      )
      assert.equal(active.length, 2)
    })
  })
})

describe("an API client's session", () => {
  withProviders((service) => {
    it('keeps its id and tokens when its owner changes the password, while others end', async () => {
      const person = await someone(service)
      const other = await logIn(service, person)
      const change = { currentPassword: PASSWORD, ...newPassword }
      const response = await post(service, '/api/change-password', change, { as: person })
      assertSucceeded(response)
      assert.deepEqual(response.headers.getSetCookie(), [])
      await assertAlive(service, person)
      await assertEnded(service, other)
    })
  })
})
