import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { codeFor, linkFor, mailsTo, newEmail, PASSWORD } from '../support/api.ts'
import { fieldError, fieldValue, logInOnPages, PageVisitor, signUpOnPages } from '../support/page-visitor.ts'
import { onBothEngines } from '../support/service.ts'

const PATH = '/account/email'

describe('the page of the e-mail address', () => {
  onBothEngines((service) => {
    it('changes the address with the digits, and renews the cookie of the browser', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const to = newEmail()
      assert.match((await visitor.get(PATH)).body, new RegExp(`You log in with <strong>${email}</strong>`))
      const asked = await visitor.submit(PATH, 'change', { newEmail: to })
      assert.equal(asked.location, PATH)
      const pending = await visitor.get(PATH)
      assert.match(pending.body, /role="status">If the address can be used/)
      assert.match(pending.body, new RegExp(`We have mailed a code to <strong>${to}`))
      const wrong = await visitor.submit(PATH, 'confirm', { code: 'no-code' })
      assert.equal(wrong.status, 400)
      assert.match(wrong.body, /role="alert">Invalid or expired code for the new address/)
      const copy = new PageVisitor(service)
      for (const [name, value] of visitor.cookies) copy.cookies.set(name, value)
      const done = await visitor.submit(PATH, 'confirm', { code: await codeFor(service, to) })
      assert.equal(done.location, PATH)
      const changed = await visitor.get(PATH)
      assert.match(changed.body, new RegExp(`You log in with <strong>${to}</strong>`))
      assert.match(changed.body, /role="status">Your e-mail address is changed/)
      assert.equal((await copy.get(PATH)).status, 303)
      await logInOnPages(service, to)
    })

    it('looks the same for an address that another account has', async () => {
      const owner = await someone(service)
      const pages = []
      for (const to of [newEmail(), owner.email]) {
        const { visitor, email } = await signUpOnPages(service)
        assert.equal((await visitor.submit(PATH, 'change', { newEmail: to })).location, PATH)
        const { body } = await visitor.get(PATH)
        pages.push(body.replaceAll(encodeURIComponent(to), 'TO').replaceAll(to, 'TO').replaceAll(email, 'OWN'))
      }
      assert.equal(pages[0], pages[1])
      assert.match(pages[0] ?? '', /We have mailed a code to <strong>TO/)
    })

    it('has a button behind the link of the mail, which does nothing when it is opened', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const to = newEmail()
      await visitor.submit(PATH, 'change', { newEmail: to })
      const { path, token } = await linkFor(service, to)
      const guest = new PageVisitor(service)
      const { location } = await guest.get(path)
      assert.equal(location, `/log-in?${new URLSearchParams({ return_to: path })}`)
      const { body } = await visitor.get(path)
      assert.equal(fieldValue(body, 'code'), token)
      assert.match((await visitor.get(PATH)).body, new RegExp(`You log in with <strong>${email}</strong>`))
      const { visitor: stranger } = await signUpOnPages(service)
      const foreign = await stranger.get(path)
      assert.match(foreign.body, /belongs to another account/)
      assert.equal(fieldValue(foreign.body, 'code'), undefined)
      assert.equal((await visitor.submit(path, 'confirm', { code: token })).location, PATH)
      assert.match((await visitor.get(path)).body, /This link is too old/)
    })

    it('shows the errors of the address', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const own = await visitor.submit(PATH, 'change', { newEmail: email })
      assert.equal(own.status, 400)
      assert.equal(fieldError(own.body, 'newEmail'), 'This is your address already')
      const bad = await visitor.submit(PATH, 'change', { newEmail: 'nobody' })
      assert.equal(fieldError(bad.body, 'newEmail'), 'Email must be a valid e-mail address')
    })

    it('asks for a proof of identity that is recent, also before a download', async () => {
      const { visitor } = await signUpOnPages(service)
      await service.advanceTime({ minutes: 15 })
      for (const [path, form, fields] of [
        [PATH, 'change', { newEmail: newEmail() }],
        ['/account/data', 'download', {}],
      ] as const) {
        const asked = await visitor.submit(path, form, fields)
        assert.equal(asked.location, `/account/confirm?${new URLSearchParams({ return_to: path })}`)
      }
      const proven = await visitor.submit(`/account/confirm?${new URLSearchParams({ return_to: PATH })}`, 'password', {
        password: PASSWORD,
      })
      assert.equal(proven.location, PATH)
      assert.equal((await visitor.submit(PATH, 'change', { newEmail: newEmail() })).location, PATH)
    })
  })
})

describe('the page that undoes a change of the address', () => {
  onBothEngines((service) => {
    it('shows the address and a button, signs every device out, and leads to a new password', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const to = newEmail()
      await visitor.submit(PATH, 'change', { newEmail: to })
      await visitor.submit(PATH, 'confirm', { code: await codeFor(service, to) })
      const { path, token } = await linkFor(service, email)
      assert.match(path, /^\/undo-email-change\?token=/)
      const owner = new PageVisitor(service)
      const opened = await owner.get(path)
      assert.match(opened.body, new RegExp(`<strong>${email}</strong> again`))
      assert.equal(opened.headers.get('referrer-policy'), 'strict-origin')
      assert.equal((await visitor.get('/account')).status, 200)
      const undone = await owner.submit(path, 'undo', { token })
      assert.equal(undone.location, `/forgot-password?${new URLSearchParams({ email })}`)
      const next = await owner.get(undone.location)
      assert.match(next.body, /role="status">Your account has this address again/)
      assert.equal(fieldValue(next.body, 'email'), email)
      assert.equal((await visitor.get('/account')).status, 303)
      assert.match((await owner.get(path)).body, /This link is too old or was used already/)
      const again = await owner.submit(path, 'undo', { token })
      assert.equal(again.status, 400)
      assert.ok((await mailsTo(service, to)).some(({ subject }) => subject.startsWith('This address no longer')))
    })

    it('shows nothing for a wrong token', async () => {
      for (const token of ['', 'x', '0'.repeat(32), 'a'.repeat(5000)]) {
        const { status, body } = await new PageVisitor(service).get(
          `/undo-email-change?${new URLSearchParams({ token })}`,
        )
        assert.equal(status, 200)
        assert.match(body, /role="alert">This link is too old or was used already/)
        assert.doesNotMatch(body, /<form method="post">\n<input type="hidden" name="form" value="undo">/)
      }
    })
  })
})
