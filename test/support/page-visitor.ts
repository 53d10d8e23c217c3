import assert from 'node:assert/strict'
import { codeFor, newEmail, PASSWORD } from './api.ts'
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
