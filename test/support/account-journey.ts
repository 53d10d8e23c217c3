import type { Page } from 'playwright-core'
import { codeFor, linkFor, newEmail, PASSWORD } from './api.ts'
import type { Service } from './service.ts'

/** The steps of a user on the pages, which find fields and buttons by their visible labels. */
export class AccountJourney {
  readonly page: Page
  readonly #site: { url: string }

  constructor(site: { url: string }, page: Page) {
    this.page = page
    this.#site = site
  }

  go(path: string) {
    return this.page.goto(this.#site.url + path)
  }

  async fill(fields: Record<string, string>): Promise<void> {
    for (const [label, text] of Object.entries(fields)) {
      await this.page.getByLabel(label, { exact: true }).first().fill(text)
    }
  }

  /** By the visible text. Screen readers also hear what some of the buttons are for. */
  press(button: string) {
    const text = this.page.getByText(button, { exact: true })
    return this.page.getByRole('main').getByRole('button').and(text).first().click()
  }

  heading(): Promise<string> {
    return this.page.getByRole('heading', { level: 1 }).innerText()
  }

  message(): Promise<string> {
    return this.page.getByRole('status').or(this.page.getByRole('alert')).first().innerText()
  }

  header(): Promise<string> {
    return this.page.getByRole('banner').innerText()
  }

  /** Opens the menu of the account and presses its button. */
  async logOut(): Promise<void> {
    await this.page
      .getByRole('banner')
      .getByRole('button', { name: /^Account of/ })
      .click()
    await this.page.getByRole('button', { name: 'Log out' }).click()
  }

  /** From the sign-up form to the account, through the link in the mail. */
  async signUp(names = { first: 'Grace', last: 'Hopper' }): Promise<string> {
    const email = newEmail()
    await this.go('/sign-up')
    await this.fill({ 'First name': names.first, 'Last name': names.last, 'E-mail': email })
    await this.fill({ Password: PASSWORD, 'Confirm password': PASSWORD })
    await this.press('Sign up')
    await this.openLink(email, '/verify-email')
    await this.press('Verify')
    await this.page.waitForURL('**/account')
    return email
  }

  async logIn(email: string, password = PASSWORD): Promise<void> {
    await this.go('/log-in')
    await this.fill({ 'E-mail': email, Password: password })
    await this.press('Log in')
  }

  /** Opens the link of the newest mail. The link has the site's configured address. */
  async openLink(email: string, path: string): Promise<void> {
    const link = await linkFor(this.#site as Service, email)
    if (!link.path.startsWith(`${path}?`)) throw new Error(`the mail leads to ${link.path}`)
    await this.go(link.path)
  }

  code(email: string): Promise<string> {
    return codeFor(this.#site as Service, email)
  }
}
