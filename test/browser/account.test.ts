import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PASSWORD } from '../support/api.ts'
import { style, withAccountBrowser } from '../support/browser.ts'
import { PICTURES } from '../support/pictures.ts'

const NEW_PASSWORD = 'Brand-New-Horse-8'

for (const javaScriptEnabled of [true, false]) {
  describe(`a user in a browser ${javaScriptEnabled ? 'with scripts' : 'without scripts'}`, () => {
    const { begin } = withAccountBrowser({ javaScriptEnabled })

    it('signs up, verifies, writes a profile, signs in on another device, and is signed out there', async () => {
      const first = await begin()
      const email = await first.signUp()
      assert.match(await first.message(), /Your address is verified/)
      assert.match(await first.header(), /Grace/)
      await first.page.getByText('Location', { exact: true }).first().click()
      await first.fill({ Bio: 'Compilers, mostly.', City: 'Arlington' })
      await first.fill({ 'Link 1: name': 'Site', 'Link 1: address': 'https://example.com/' })
      await first.press('Save')
      assert.equal(await first.message(), 'Your profile is saved.')
      assert.equal(await first.page.getByLabel('Bio').inputValue(), 'Compilers, mostly.')

      const second = await begin()
      await second.logIn(email)
      assert.equal(await second.heading(), 'Profile')
      await first.go('/account/security')
      assert.equal(await first.page.getByText('This device').count(), 1)
      await first.press('Sign out')
      assert.equal(await first.message(), 'That device is signed out.')
      await second.go('/account')
      assert.equal(await second.heading(), 'Log in')
      assert.match(await second.header(), /Log in/)
      first.assertNoErrors()
      second.assertNoErrors()
    })

    it('gets a new password by mail, which ends the existing session', async () => {
      const signedIn = await begin()
      const email = await signedIn.signUp()
      const person = await begin()
      await person.go('/log-in')
      await person.page.getByRole('link', { name: 'Forgot your password?' }).click()
      await person.fill({ 'E-mail': email })
      await person.press('Mail me a code')
      assert.match(await person.message(), /a mail with a code and a link is on its way/)
      await person.openLink(email, '/reset-password')
      await person.fill({ 'New password': NEW_PASSWORD, 'Confirm new password': NEW_PASSWORD })
      await person.press('Set the new password')
      assert.match(await person.message(), /Your password is changed/)
      await person.fill({ Password: NEW_PASSWORD })
      await person.press('Log in')
      assert.equal(await person.heading(), 'Security')
      await signedIn.go('/account')
      assert.equal(await signedIn.heading(), 'Log in')
      person.assertNoErrors()
    })

    it('sees an error beside its field, with all other input still there', async () => {
      const person = await begin()
      await person.go('/sign-up')
      await person.fill({ 'First name': 'Ada', 'Last name': 'Lovelace', 'E-mail': 'ada@example.com' })
      await person.fill({ Password: 'short', 'Confirm password': 'other' })
      await person.press('Sign up')
      const password = person.page.getByLabel('Password', { exact: true })
      assert.equal(await password.getAttribute('aria-invalid'), 'true')
      assert.equal(await password.inputValue(), '')
      assert.equal(await person.page.getByLabel('First name').inputValue(), 'Ada')
      assert.equal(await person.page.locator(':focus').getAttribute('name'), 'password')
      assert.match(await person.page.getByRole('main').innerText(), /Password must be at least 8 characters/)
      person.assertNoErrors()
    })

    it('changes the username once', async () => {
      const person = await begin()
      await person.signUp()
      await person.go('/account/username')
      const name = `grace${Date.now()}`
      await person.fill({ 'New username': name })
      await person.press('Change the username')
      assert.equal(await person.message(), 'Your username is changed.')
      assert.equal(await person.page.getByLabel('New username').count(), 0)
      assert.match(await person.page.getByRole('main').innerText(), new RegExp(`You are ${name}`))
      person.assertNoErrors()
    })

    it('uploads a picture and removes it', async () => {
      const person = await begin()
      await person.signUp()
      const buffer = await PICTURES['a JPEG']?.()
      assert.ok(buffer)
      await person.page.getByLabel('Picture').setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer })
      await person.press('Upload')
      assert.equal(await person.message(), 'Your new picture is in place.')
      const picture = person.page.locator('main img.portrait')
      await picture.evaluate((image) => image.decode())
      assert.equal(await picture.evaluate((image) => image.naturalWidth), 512)
      await person.press('Remove')
      assert.equal(await person.message(), 'Your picture is removed.')
      assert.equal(await picture.count(), 0)
      person.assertNoErrors()
    })

    it('chooses a theme, and has it on every page from the first paint', async () => {
      const person = await begin({ colorScheme: 'light' })
      await person.signUp()
      await person.go('/account/appearance')
      await person.page.getByLabel('Colours').selectOption('Dark')
      await person.page.getByLabel('Typeface').selectOption('Serif')
      await person.page
        .locator('form', { has: person.page.getByLabel('Colours') })
        .getByRole('button')
        .click()
      await person.go('/blog')
      const root = person.page.locator('html')
      assert.equal(await style(root, 'colorScheme'), 'dark')
      assert.match(await style(person.page.locator('body'), 'fontFamily'), /^ui-serif/)
      await person.logOut()
      assert.equal(await root.getAttribute('data-theme'), null)
      person.assertNoErrors()
    })

    it('deletes the account permanently', async () => {
      const person = await begin()
      const email = await person.signUp()
      await person.go('/account/data')
      await person.fill({ 'Your password': PASSWORD })
      await person.press('Delete my account')
      assert.match(await person.message(), /are deleted/)
      assert.match(await person.header(), /Log in/)
      await person.logIn(email)
      assert.match(await person.message(), /Invalid email or password/)
      person.assertNoErrors()
    })
  })
}
