import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listSessions, ownProfile } from '../support/accounts.ts'
import { codeFor, eventTypes, linkFor, logIn, mailsTo, newEmail, PASSWORD, signUp } from '../support/api.ts'
import { fieldError, fieldValue, logInOnPages, PageVisitor, signUpOnPages } from '../support/page-visitor.ts'
import { PICTURES } from '../support/pictures.ts'
import { onBothEngines } from '../support/service.ts'

const NEW_PASSWORD = 'Brand-New-Horse-8'

describe('the forms of the account pages', () => {
  onBothEngines((service) => {
    it('keep the input beside its errors, but never a password', async () => {
      const visitor = new PageVisitor(service)
      const typed = {
        firstName: '',
        lastName: 'Hop"per',
        email: 'nobody',
        password: 'Secret-1',
        confirmPassword: 'Secret-2',
      }
      const { status, body } = await visitor.submit('/sign-up', 'sign-up', typed)
      assert.equal(status, 400)
      assert.equal(fieldError(body, 'firstName'), 'First name is required')
      assert.equal(fieldError(body, 'email'), 'E-mail must be a valid e-mail address')
      assert.equal(fieldError(body, 'confirmPassword'), 'Passwords do not match')
      assert.equal(fieldError(body, 'lastName'), undefined)
      assert.equal(fieldValue(body, 'lastName'), 'Hop&quot;per')
      assert.equal(fieldValue(body, 'email'), 'nobody')
      assert.doesNotMatch(body, /Secret-[12]/)
      assert.equal(visitor.cookies.size, 0)
    })

    it('show the messages of the API when it refuses', async () => {
      const { email } = await signUp(service)
      const again = { firstName: 'A', lastName: 'B', email, password: PASSWORD, confirmPassword: PASSWORD }
      const taken = await new PageVisitor(service).submit('/sign-up', 'sign-up', again)
      assert.equal(taken.status, 409)
      assert.match(taken.body, /role="alert">Email already registered\./)
      const wrong = await new PageVisitor(service).submit('/log-in', 'log-in', { email, password: 'Wrong-Horse-7' })
      assert.equal(wrong.status, 401)
      assert.match(wrong.body, /role="alert">Invalid email or password\./)
      assert.equal(fieldValue(wrong.body, 'email'), email)
      assert.deepEqual(wrong.headers.getSetCookie(), [])
    })

    it('lead from sign-up to a code by mail, to a session of this browser', async () => {
      const visitor = new PageVisitor(service)
      const email = newEmail()
      const person = { firstName: 'Ada', lastName: 'Lovelace', email }
      const created = await visitor.submit('/sign-up', 'sign-up', {
        ...person,
        password: PASSWORD,
        confirmPassword: PASSWORD,
      })
      assert.equal(created.status, 303)
      assert.equal(created.location, `/verify-email?${new URLSearchParams({ email })}`)
      const asked = await visitor.get(created.location)
      assert.match(asked.body, /role="status">Your account is created/)
      assert.equal(fieldValue(asked.body, 'email'), email)
      // The message is shown once.
      assert.doesNotMatch((await visitor.get(created.location)).body, /role="status"/)

      const link = await linkFor(service, email)
      const opened = await new PageVisitor(service).get(link.path)
      assert.equal(fieldValue(opened.body, 'email'), email)
      const verificationCode = fieldValue(opened.body, 'verificationCode') ?? ''
      assert.equal(verificationCode, link.token)
      // Opening the link changes nothing: the code still works, and the account is still unverified.
      assert.equal((await visitor.submit('/log-in', 'log-in', { email, password: PASSWORD })).status, 403)
      const verified = await visitor.submit('/verify-email', 'verify', { email, verificationCode })
      assert.equal(verified.location, '/account')
      assert.match((await visitor.get('/account')).body, /role="status">Your address is verified/)
      const owner = await logIn(service, { email, password: PASSWORD })
      assert.equal((await listSessions(service, owner)).length, 2)
    })

    it('send a new code, and show the same whether or not it is needed', async () => {
      const visitor = new PageVisitor(service)
      const { email } = await signUp(service)
      const before = (await mailsTo(service, email)).length
      for (const address of [email, newEmail()]) {
        const response = await visitor.submit('/verify-email', 'resend', { email: address })
        assert.equal(response.status, 303)
        assert.match((await visitor.get(response.location)).body, /If the account needs verification/)
      }
      assert.equal((await mailsTo(service, email)).length, before)
    })

    it('reset a forgotten password with a code, and end every session', async () => {
      const { visitor: elsewhere, email } = await signUpOnPages(service)
      const visitor = new PageVisitor(service)
      const forgot = await visitor.submit('/forgot-password', 'forgot', { email })
      assert.equal(forgot.location, `/reset-password?${new URLSearchParams({ email })}`)
      const resetToken = await codeFor(service, email)
      const chosen = { password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
      const wrong = await visitor.submit('/reset-password', 'reset', { email, resetToken: '000000', ...chosen })
      assert.equal(wrong.status, 400)
      assert.match(wrong.body, /role="alert">Invalid or expired reset token/)
      const reset = await visitor.submit('/reset-password', 'reset', { email, resetToken, ...chosen })
      assert.equal(reset.location, `/log-in?${new URLSearchParams({ email, return_to: '/account/security' })}`)
      assert.equal((await elsewhere.get('/account')).location, '/log-in?return_to=%2Faccount')
      await logInOnPages(service, email, NEW_PASSWORD)
    })

    it('mark the field that a refusal is about, and give it the focus', async () => {
      const { visitor: member, email } = await signUpOnPages(service)
      const guest = new PageVisitor(service)
      const chosen = { password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
      const code = '000000'
      for (const [visitor, path, form, fields, name] of [
        [guest, '/sign-up', 'sign-up', { firstName: 'A', lastName: 'B', email, ...chosen }, 'email'],
        [guest, '/verify-email', 'verify', { email: newEmail(), verificationCode: code }, 'verificationCode'],
        [guest, '/reset-password', 'reset', { email, resetToken: code, ...chosen }, 'resetToken'],
        [guest, '/log-in/code/verify', 'verify', { email, code }, 'code'],
        [
          member,
          '/account/security',
          'password',
          { currentPassword: 'Wrong-Horse-7', newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD },
          'currentPassword',
        ],
        [member, '/account/data', 'delete', { password: 'Wrong-Horse-7' }, 'password'],
      ] as const) {
        const { status, body } = await visitor.submit(path, form, fields)
        assert.ok(status >= 400 && status < 500, `${path}: ${status}`)
        assert.match(body, /role="alert"/)
        const marked = body.match(/<input [^>]*aria-invalid="true"[^>]*>/g) ?? []
        assert.equal(marked.length, 1, path)
        assert.match(marked[0] ?? '', new RegExp(` name="${name}".* autofocus`))
        assert.equal(body.match(/ autofocus/g)?.length, 1, path)
      }
    })

    it('save the profile, with links that are filled in and without those that are not', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const fields = {
        firstName: ' Grace ',
        lastName: 'Hopper',
        bio: 'One\r\ntwo',
        dob: '1906-12-09',
        'location.city': 'Arlington',
        'socialAccounts.0.provider': '',
        'socialAccounts.0.url': '',
        'socialAccounts.1.provider': 'Blog',
        'socialAccounts.1.url': 'https://example.com/grace',
      }
      const saved = await visitor.submit('/account', 'profile', fields)
      assert.equal(saved.status, 303, saved.body)
      const profile = await ownProfile(service, await logIn(service, { email, password: PASSWORD }))
      assert.equal(profile.firstName, 'Grace')
      assert.equal(profile.bio, 'One\ntwo')
      assert.equal(profile.dob, '1906-12-09T00:00:00.000Z')
      assert.equal(profile.location.city, 'Arlington')
      assert.deepEqual(profile.socialAccounts, [{ provider: 'Blog', url: 'https://example.com/grace' }])
      const shown = await visitor.get('/account')
      assert.equal(fieldValue(shown.body, 'socialAccounts.0.url'), 'https://example.com/grace')
      assert.equal(fieldValue(shown.body, 'dob'), '1906-12-09')

      const bad = await visitor.submit('/account', 'profile', {
        ...fields,
        'socialAccounts.0.provider': 'Bad',
        'socialAccounts.0.url': 'javascript:alert(1)',
      })
      assert.equal(bad.status, 400)
      assert.equal(fieldError(bad.body, 'socialAccounts.0.url'), 'URL must be an http or https URL')
      assert.equal(fieldValue(bad.body, 'socialAccounts.1.url'), 'https://example.com/grace')
    })

    it('change the password and end every other session', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const other = await logInOnPages(service, email)
      const chosen = { newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
      const wrong = await visitor.submit('/account/security', 'password', { currentPassword: 'Wrong-1', ...chosen })
      assert.equal(wrong.status, 400)
      assert.match(wrong.body, /role="alert">Current password is incorrect/)
      const changed = await visitor.submit('/account/security', 'password', { currentPassword: PASSWORD, ...chosen })
      assert.equal(changed.location, '/account/security')
      assert.equal((await visitor.get('/account')).status, 200)
      assert.match((await other.get('/account')).location, /^\/log-in/)
    })

    it('change the username once', async () => {
      const { visitor } = await signUpOnPages(service)
      const username = `grace${Date.now()}`
      assert.deepEqual(JSON.parse((await visitor.get(`/account/username/check?username=${username}`)).body), {
        available: true,
      })
      assert.equal((await visitor.submit('/account/username', 'username', { username })).status, 303)
      const shown = await visitor.get('/account/username')
      assert.match(shown.body, new RegExp(`You are ${username}<`))
      assert.doesNotMatch(shown.body, /name="username"/)
      const again = await visitor.submit('/account/username', 'username', { username: `${username}2` })
      assert.equal(again.status, 403)
    })

    it('list the devices, sign out one, and then all others', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const [second, third] = [await logInOnPages(service, email), await logInOnPages(service, email)]
      const { body } = await visitor.get('/account/security')
      const ids = [...body.matchAll(/name="sessionId" value="([^"]+)"/g)].map(([, id]) => id ?? '')
      assert.equal(ids.length, 2)
      assert.match(body, /This device/)
      const revoked = await visitor.submit('/account/security', 'revoke', { sessionId: ids[0] ?? '' })
      assert.equal(revoked.status, 303)
      const signedOut = (await Promise.all([second, third].map((one) => one.get('/account')))).map(
        ({ status }) => status,
      )
      assert.deepEqual(signedOut.sort(), [200, 303])
      assert.equal((await visitor.submit('/account/security', 'revoke-others')).status, 303)
      for (const one of [second, third]) assert.equal((await one.get('/account')).status, 303)
      assert.equal((await visitor.get('/account')).status, 200)
      const gone = await visitor.submit('/account/security', 'revoke', { sessionId: ids[0] ?? '' })
      assert.equal(gone.status, 404)
      assert.match(gone.body, /role="alert">Session not found/)
    })

    it('upload a picture, show it, and remove it', async () => {
      const { visitor } = await signUpOnPages(service)
      const none = await visitor.upload('/account', 'avatar', new Uint8Array())
      assert.equal(none.status, 400)
      assert.equal(fieldError(none.body, 'file'), 'Choose a picture first')
      const noPicture = await visitor.upload('/account', 'avatar', Buffer.from('no picture'))
      assert.match(fieldError(noPicture.body, 'file') ?? '', /must be a picture/)
      const picture = await PICTURES['a PNG']?.()
      assert.ok(picture)
      assert.equal((await visitor.upload('/account', 'avatar', picture)).status, 303)
      const address = /<img class="portrait" src="([^"]+)"/.exec((await visitor.get('/account')).body)?.[1] ?? ''
      const served = await visitor.get(new URL(address).pathname)
      assert.equal(served.headers.get('content-type'), 'image/webp')
      assert.equal((await visitor.submit('/account', 'remove-avatar')).status, 303)
      assert.doesNotMatch((await visitor.get('/account')).body, /<img class="portrait"/)
      assert.equal((await visitor.get(new URL(address).pathname)).status, 404)
    })

    it('delete the account when the password is right', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const wrong = await visitor.submit('/account/data', 'delete', { password: 'Wrong-1' })
      assert.equal(wrong.status, 400)
      assert.equal((await visitor.get('/account')).status, 200)
      const deleted = await visitor.submit('/account/data', 'delete', { password: PASSWORD })
      assert.equal(deleted.location, '/sign-up')
      assert.ok(!visitor.cookies.has('portico_session'))
      assert.match((await visitor.get('/sign-up')).body, /are deleted/)
      assert.equal(
        (await new PageVisitor(service).submit('/log-in', 'log-in', { email, password: PASSWORD })).status,
        401,
      )
    })

    it('log out this browser and no other', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const other = await logInOnPages(service, email)
      const oldCookies = new Map(visitor.cookies)
      const out = await visitor.submit('/log-out', '')
      assert.equal(out.location, '/log-in')
      assert.ok(!visitor.cookies.has('portico_session'))
      // The cookie is refused from now on, also from a browser that has copied it.
      for (const [name, value] of oldCookies) visitor.cookies.set(name, value)
      assert.match((await visitor.get('/account')).location, /^\/log-in/)
      assert.equal((await other.get('/account')).status, 200)
      const owner = await logIn(service, { email, password: PASSWORD })
      assert.ok((await eventTypes(service, owner)).includes('session.ended'))
    })

    it('are refused when the page has no such form', async () => {
      const { visitor } = await signUpOnPages(service)
      for (const form of ['', 'nothing', '__proto__', 'constructor', 'toString']) {
        const response = await visitor.submit('/account', form, { firstName: 'X', lastName: 'Y' })
        assert.equal(response.status, 400, form)
      }
      assert.match((await visitor.get('/account')).body, /value="Grace"/)
    })
  })
})
