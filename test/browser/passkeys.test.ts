import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page, Response } from 'playwright-core'
import { withAccountBrowser } from '../support/browser.ts'
import { addVirtualAuthenticator } from './virtual-authenticator.ts'

const home = withAccountBrowser({}, 'localhost')

/** A signed-up person whose browser has an authenticator. */
async function somebody() {
  const person = await home.begin()
  const authenticator = await addVirtualAuthenticator(person.page)
  const email = await person.signUp()
  return Object.assign(person, { authenticator, email })
}

type Somebody = Awaited<ReturnType<typeof somebody>>

async function addPasskey(person: Somebody, button = 'Add a passkey'): Promise<void> {
  await person.go('/account/security')
  await person.press(button)
  await person.page.getByText('Your passkey is added.').waitFor()
}

/** The log-in page waits for its button. */
const NO_AUTOFILL = 'PublicKeyCredential.isConditionalMediationAvailable = async () => false'

/** Reports conditional creation as possible, and creates the passkey with the authenticator. */
const CONDITIONAL_CREATE = `
  PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true })
  const create = navigator.credentials.create.bind(navigator.credentials)
  navigator.credentials.create = ({ mediation, publicKey }) =>
    mediation === 'conditional' ? create({ publicKey }) : Promise.reject(new Error('not conditional'))`

const passkeysOf = (page: Page) => page.locator('section:has(#passkeys) .cards > li')

describe('passkeys in Chromium', () => {
  it('are added on the security page and sign in by the button, without typing', async () => {
    const person = await somebody()
    await addPasskey(person)
    assert.match(
      await passkeysOf(person.page).innerText(),
      /Passkey of Chrome Headless on Linux.*\n*On one device\n+Added .*, not used yet/,
    )
    assert.equal((await person.authenticator.ids()).length, 1)
    await person.page.addInitScript(NO_AUTOFILL)
    await person.logOut()
    await person.go('/log-in?return_to=/account/security')
    await person.press('Log in with a passkey')
    await person.page.waitForURL(`${home.url}/account/security`)
    assert.match(await person.page.getByRole('main').innerText(), /last used/)
    person.assertNoErrors()
  })

  it('sign in by the autofill of the browser (conditional mediation)', async () => {
    const person = await somebody()
    await addPasskey(person)
    await person.logOut()
    await person.page.waitForURL(`${home.url}/account`)
    assert.match(await person.header(), /Grace/)
    person.assertNoErrors()
  })

  it('are renamed and removed', async () => {
    const person = await somebody()
    await addPasskey(person)
    await person.page.getByText('Rename').first().click()
    await person.page.getByLabel('New name').fill('Desk <computer>')
    await person.press('Rename')
    await person.page.getByText('Your passkey has its new name.').waitFor()
    assert.match(await passkeysOf(person.page).innerText(), /Desk <computer>/)
    await person.press('Remove')
    await person.page.getByText('The passkey is removed.').waitFor()
    assert.equal(await passkeysOf(person.page).count(), 0)
    // The page has told the browser that the account has no passkey any more (signalAllAcceptedCredentials).
    await person.authenticator.forgets()
    person.assertNoErrors()
  })

  it('can replace the password, and the last one cannot be removed', async () => {
    const person = await somebody()
    await addPasskey(person)
    await person.page.locator('summary', { hasText: 'Remove the password' }).click()
    await person.press('Remove the password')
    await person.page.getByText('Your password is removed.').waitFor()
    assert.match(await person.page.getByRole('main').innerText(), /Your passkey is your only way in\./)
    assert.match(await passkeysOf(person.page).innerText(), /Your only way in/)
    assert.equal(await person.page.getByRole('button', { name: /^Remove / }).count(), 0)
    person.assertNoErrors()
  })

  it('of this device are not added twice, and the person is told', async () => {
    const person = await somebody()
    await addPasskey(person)
    await person.press('Add another passkey')
    await person.page.getByText('This device already has a passkey for your account.').waitFor()
    assert.equal(await passkeysOf(person.page).count(), 1)
  })

  it('are not added when the person cancels or is not recognised', async () => {
    const person = await somebody()
    await person.authenticator.setVerified(false)
    await person.go('/account/security')
    await person.press('Add a passkey')
    await person.page.getByText('No passkey was used. You can try again.').waitFor()
    assert.equal(await passkeysOf(person.page).count(), 0)
    await person.authenticator.setVerified(true)
    await person.press('Add a passkey')
    await person.page.getByText('Your passkey is added.').waitFor()
  })

  it('confirm an identity before a change that needs a recent proof', async () => {
    const person = await somebody()
    await addPasskey(person)
    await home.service.advanceTime({ hours: 1 })
    await person.go('/account/security')
    await person.press('Remove')
    await person.page.waitForURL('**/account/confirm?**')
    await person.press('Use a passkey')
    await person.page.waitForURL(`${home.url}/account/security`)
    await person.press('Remove')
    await person.page.getByText('The passkey is removed.').waitFor()
  })

  it('are the second step of a log-in with a password', async () => {
    const person = await somebody()
    await addPasskey(person)
    const { query } = home.service.portico.database
    await query.updateTable('users').set({ second_factor_required: 1 }).where('email', '=', person.email).execute()
    await person.page.addInitScript(NO_AUTOFILL)
    await person.logOut()
    await person.logIn(person.email)
    await person.page.waitForURL('**/log-in/second-factor?**')
    await person.press('Use a passkey')
    await person.page.waitForURL(`${home.url}/account`)
    person.assertNoErrors()
  })

  it('are added after a proof of identity, which the button asks for', async () => {
    const person = await somebody()
    await home.service.advanceTime({ hours: 1 })
    await person.go('/account/security')
    await person.press('Add a passkey')
    await person.page.waitForURL('**/account/confirm?**')
    assert.match(await person.heading(), /Confirm that it is you/)
  })

  it('that were removed are refused, and the log-in page says so', async () => {
    const person = await somebody()
    await addPasskey(person)
    await home.service.portico.database.query.deleteFrom('passkeys').execute()
    await person.logOut()
    await person.page.getByText('This passkey cannot be used to sign in.').waitFor()
    // The page has told the browser that no account has this passkey (signalUnknownCredential).
    await person.authenticator.forgets()
  })

  it('that an account has stay in the browser when they are refused', async () => {
    const person = await somebody()
    await addPasskey(person)
    const { query } = home.service.portico.database
    await query.updateTable('passkeys').set({ public_key: 'AAAA' }).execute()
    await person.logOut()
    await person.page.getByText('This passkey cannot be used to sign in.').waitFor()
    assert.equal(await person.page.locator('[data-credential-id]').count(), 0)
    assert.equal((await person.authenticator.ids()).length, 1)
  })

  it('are created by the browser alone after a log-in with a password, where it can', async () => {
    const person = await somebody()
    await person.logOut()
    // This Chromium has no password manager, so the authenticator stands in for it.
    await person.page.addInitScript(CONDITIONAL_CREATE)
    const isSent = (response: Response) =>
      response.request().method() === 'POST' && response.url() === `${home.url}/account/security`
    const sent = person.page.waitForResponse(isSent)
    await person.logIn(person.email)
    assert.equal((await sent).status(), 303)
    assert.equal((await person.authenticator.ids()).length, 1)
    await person.go('/account/security')
    await passkeysOf(person.page).waitFor()
    assert.match(await person.message(), /Your passkey is added\./)
    person.assertNoErrors()
  })

  it('work with a keyboard only', async () => {
    const person = await somebody()
    const { keyboard } = person.page
    await person.go('/account/security')
    await tabTo(person.page, 'Add a passkey')
    await keyboard.press('Enter')
    await person.page.getByText('Your passkey is added.').waitFor()
    await person.page.addInitScript(NO_AUTOFILL)
    await person.logOut()
    await person.go('/log-in')
    await tabTo(person.page, 'Log in with a passkey')
    await keyboard.press('Enter')
    await person.page.waitForURL(`${home.url}/account`)
    person.assertNoErrors()
  })

  it('are not offered without scripts, and the page says why', async () => {
    const person = await home.begin({ javaScriptEnabled: false })
    await person.signUp()
    await person.go('/account/security')
    assert.equal(await person.page.getByRole('button', { name: 'Add a passkey' }).count(), 0)
    assert.match(await person.page.getByRole('main').innerText(), /Adding a passkey needs JavaScript\./)
    await person.logOut()
    await person.go('/log-in')
    assert.equal(await person.page.getByRole('button', { name: 'Log in with a passkey' }).count(), 0)
  })
})

async function tabTo(page: Page, name: string): Promise<void> {
  const isFocused = () =>
    page
      .locator(':focus')
      .and(page.getByRole('button', { name, exact: true }))
      .count()
  for (let stop = 0; stop < 60 && !(await isFocused()); stop++) await page.keyboard.press('Tab')
  assert.ok(await isFocused(), `the keyboard does not reach ${name}`)
}
