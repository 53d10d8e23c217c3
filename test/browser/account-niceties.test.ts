import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newEmail, PASSWORD, signUp } from '../support/api.ts'
import { withAccountBrowser } from '../support/browser.ts'
import { MEMBER_PATHS } from '../support/page-visitor.ts'
import { PICTURES } from '../support/pictures.ts'

const home = withAccountBrowser()
const { begin } = home

describe('the scripts of the account pages', () => {
  it('show during typing whether a username is free', async () => {
    const person = await begin()
    await person.signUp()
    const { userId } = await signUp(home.service, { firstName: 'Takenly', lastName: 'Named' })
    assert.ok(userId)
    await person.go('/account/username')
    const field = person.page.getByLabel('New username')
    await field.pressSequentially('takenly.named')
    await person.page.getByText('takenly.named is not free').waitFor()
    await field.fill('surely-free-7')
    await person.page.getByText('surely-free-7 is free').waitFor()
    await field.fill('x')
    assert.equal(await person.page.getByText('surely-free-7 is free').count(), 0)
    person.assertNoErrors()
  })

  it('show a password and hide it again, and never send it from a text field', async () => {
    const person = await begin()
    await person.go('/log-in')
    const field = person.page.getByLabel('Password', { exact: true })
    const button = person.page.getByRole('button', { name: 'Show: Password' })
    await field.fill('Secret-Horse-1')
    await button.click()
    assert.equal(await field.getAttribute('type'), 'text')
    assert.equal(await button.getAttribute('aria-pressed'), 'true')
    await person.fill({ 'E-mail': newEmail() })
    await person.press('Log in')
    assert.equal(await field.getAttribute('type'), 'password')
    assert.equal(await field.inputValue(), '')
    person.assertNoErrors()
  })

  it('accept a pasted code with other characters around its digits', async () => {
    const person = await begin({ permissions: ['clipboard-read', 'clipboard-write'] })
    await person.go('/verify-email')
    await person.page.evaluate(() =>
      (
        globalThis as never as { navigator: { clipboard: { writeText(text: string): Promise<void> } } }
      ).navigator.clipboard.writeText(' Your code: 123 456.\n'),
    )
    await person.page.getByLabel('Code').focus()
    await person.page.keyboard.press('Control+V')
    assert.equal(await person.page.getByLabel('Code').inputValue(), '123456')
    person.assertNoErrors()
  })

  it('show relative times', async () => {
    const person = await begin()
    await person.signUp()
    await home.service.advanceTime({ hours: 2 })
    await person.go('/account/security')
    const events = person.page.locator('.events')
    assert.match(await events.innerText(), /2 hours ago/)
    assert.match((await events.locator('time').first().getAttribute('title')) ?? '', /\d{4}/)
    person.assertNoErrors()
  })

  it('show the chosen picture before it is sent', async () => {
    const person = await begin()
    await person.signUp()
    const buffer = await PICTURES['a PNG']?.()
    assert.ok(buffer)
    await person.page.getByLabel('Picture').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer })
    await person.page.getByRole('main').getByRole('img', { name: 'The picture that you have chosen' }).waitFor()
    person.assertNoErrors()
  })
})

describe('the account pages with a keyboard only', () => {
  it('sign a user up, in, and out', async () => {
    const person = await begin()
    const { keyboard } = person.page
    const email = newEmail()
    await person.go('/sign-up')
    await person.page.getByLabel('First name').focus()
    for (const text of ['Grace', 'Hopper', email, PASSWORD]) {
      await keyboard.type(text)
      await keyboard.press('Tab')
    }
    // Skips the button that shows the password.
    await keyboard.press('Tab')
    await keyboard.type(PASSWORD)
    await keyboard.press('Enter')
    await person.page.waitForURL('**/verify-email?**')
    await person.page.getByLabel('Code').focus()
    await keyboard.type(await person.code(email))
    await keyboard.press('Enter')
    await person.page.waitForURL('**/account')
    for (const name of [/^Account of/, /^Log out$/]) {
      const isFocused = () => person.page.locator(':focus').and(person.page.getByRole('button', { name })).count()
      for (let stop = 0; stop < 12 && !(await isFocused()); stop++) await keyboard.press('Tab')
      await keyboard.press('Enter')
    }
    await person.page.waitForURL('**/log-in')
    assert.equal(await person.message(), 'You are logged out.')
    person.assertNoErrors()
  })
})

describe('the account pages', () => {
  it('run under their CSP without a violation', async () => {
    const person = await begin()
    await person.signUp()
    for (const path of [...MEMBER_PATHS, '/', '/verify-email', '/reset-password']) {
      await person.go(path)
      person.assertNoErrors()
    }
  })
})
