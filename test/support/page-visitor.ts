import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { codeFor, linkFor, newEmail, PASSWORD } from './api.ts'
import type { Service } from './service.ts'

export interface PageResponse {
  status: number
  headers: Headers
  body: string
  /** The Location header, or ''. */
  location: string
}

export const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** A browser without scripts: it stores cookies, sends forms as browsers do, and does not follow redirects. */
export class PageVisitor {
  readonly #url: string
  readonly cookies = new Map<string, string>()

  constructor({ url }: { url: string }) {
    this.#url = url
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageResponse> {
    return this.#send(path, { headers })
  }

  /** Sends one form of a page like a browser that has opened that page. */
  submit(
    path: string,
    form: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<PageResponse> {
    const body = new URLSearchParams({ form, ...fields })
    return this.#send(path, { method: 'POST', body, headers: { ...this.ownHeaders(), ...headers } })
  }

  /** A call that a script of the page makes. */
  post(path: string, headers: Record<string, string> = {}): Promise<PageResponse> {
    return this.#send(path, { method: 'POST', headers: { ...this.ownHeaders(), ...headers } })
  }

  upload(path: string, form: string, file: Uint8Array): Promise<PageResponse> {
    const body = new FormData()
    body.set('form', form)
    body.set('file', new File([Buffer.from(file)], 'picture'))
    return this.#send(path, { method: 'POST', body, headers: this.ownHeaders() })
  }

  /** The headers of a browser that sends a form of this site's own page. */
  ownHeaders(): Record<string, string> {
    return { origin: this.#url, 'sec-fetch-site': 'same-origin' }
  }

  async #send(path: string, { headers, ...init }: RequestInit & { headers: Record<string, string> }) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(this.#url + path, {
      ...init,
      redirect: 'manual',
      headers: { accept: BROWSER_ACCEPT, ...(cookie && { cookie }), ...headers },
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return {
      status: response.status,
      headers: response.headers,
      body: await response.text(),
      location: response.headers.get('location') ?? '',
    }
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/; Max-Age=0/.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

/** A person who has signed up and verified their address, all on the pages. */
export async function signUpOnPages(service: Service, names: { firstName?: string; lastName?: string } = {}) {
  const visitor = new PageVisitor(service)
  const email = newEmail()
  const person = { firstName: 'Grace', lastName: 'Hopper', ...names, email }
  const created = await visitor.submit('/sign-up', 'sign-up', {
    ...person,
    password: PASSWORD,
    confirmPassword: PASSWORD,
  })
  assert.equal(created.status, 303, created.body)
  const verificationCode = await codeFor(service, email)
  const verified = await visitor.submit('/verify-email', 'verify', { email, verificationCode })
  assert.equal(verified.location, '/account', verified.body)
  return { visitor, email }
}

export async function logInOnPages(service: { url: string }, email: string, password = PASSWORD): Promise<PageVisitor> {
  const visitor = new PageVisitor(service)
  const { status, body } = await visitor.submit('/log-in', 'log-in', { email, password })
  assert.equal(status, 303, body)
  return visitor
}

/** The value of a field of a page. */
export function fieldValue(body: string, name: string): string | undefined {
  const tag = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(body)?.[0]
  return tag && /value="([^"]*)"/.exec(tag)?.[1]
}

/** The error message of a field, found by `aria-describedby` as a screen reader finds it. */
export function fieldError(body: string, name: string): string | undefined {
  const tag = new RegExp(`<[^>]*\\sname="${name.replaceAll('.', '\\.')}"[^>]*>`).exec(body)?.[0] ?? ''
  const ids = /aria-describedby="([^"]*)"/.exec(tag)?.[1]?.split(' ') ?? []
  const id = /aria-invalid="true"/.test(tag) ? ids.find((word) => word.endsWith('-error')) : undefined
  return id && new RegExp(`id="${id}">([^<]*)<`).exec(body)?.[1]
}

export const PUBLIC_PATHS = [
  '/sign-up',
  '/verify-email',
  '/log-in',
  '/log-in/code',
  '/log-in/code/verify',
  '/log-in/second-factor',
  '/forgot-password',
  '/reset-password',
  '/undo-email-change',
]
export const MEMBER_PATHS = [
  '/account',
  '/account/username',
  '/account/email',
  '/account/appearance',
  '/account/security',
  '/account/data',
]

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
