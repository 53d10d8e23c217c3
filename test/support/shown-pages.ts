import assert from 'node:assert/strict'
import type { Page, Response } from 'playwright-core'
import { setRegistration } from './owners.ts'
import type { Service } from './service.ts'
import { FAILING_WEBHOOK_ID, NEW_WEBHOOK_ID, SHOWN_INVITATION } from './shown-desk.ts'
import { SHOWN_PERSON_ID } from './shown-people.ts'

/** A page as it is examined in tests and shown in pictures. */
export interface ShownPage {
  /** The name of its pictures. */
  name: string
  path: string
  /** Shown to the signed-in user. */
  isForMember?: boolean
  status?: number
  /** What is entered into the first form that has these fields, by the name of the field. The form is then sent. */
  entered?: Record<string, string>
  /** Who may register while the page is opened. Everybody otherwise. */
  registration?: 'invite' | 'closed'
}

export const HOME: ShownPage = { name: 'home', path: '/' }
export const BLOG: ShownPage = { name: 'blog', path: '/blog' }
export const POST: ShownPage = { name: 'post', path: '/blog/accounts-without-renting-them' }
export const GUIDE: ShownPage = { name: 'guide', path: '/guides/back-up' }
export const SEARCH: ShownPage = { name: 'search', path: '/search?q=database+acount' }
export const LOG_IN: ShownPage = { name: 'log-in', path: '/log-in' }
export const DOCS: ShownPage = { name: 'docs', path: '/docs' }
export const ACCOUNT: ShownPage = { name: 'account', path: '/account', isForMember: true }
export const SECURITY: ShownPage = { name: 'account-security', path: '/account/security', isForMember: true }
export const OVERVIEW: ShownPage = { name: 'owner-overview', path: '/owner', isForMember: true }
export const PERSON: ShownPage = {
  name: 'owner-person',
  path: `/owner/person?userId=${SHOWN_PERSON_ID}`,
  isForMember: true,
}
export const WEBHOOK: ShownPage = {
  name: 'owner-webhook',
  path: `/owner/webhook?webhookId=${FAILING_WEBHOOK_ID}`,
  isForMember: true,
}
export const DESIGN: ShownPage = { name: 'dev-design', path: '/dev/design' }

/** Every kind of page, and the forms with errors. */
export const SHOWN_PAGES: ShownPage[] = [
  HOME,
  { ...HOME, name: 'home-signed-in', isForMember: true },
  BLOG,
  POST,
  { name: 'post-markup', path: '/blog/all-markup' },
  { name: 'post-of-series', path: '/blog/query-plans' },
  { name: 'series', path: '/series/a-database-in-one-file' },
  { name: 'tag', path: '/tags/api' },
  { name: 'tags', path: '/tags' },
  { name: 'archive', path: '/archive' },
  { name: 'archive-year', path: '/archive/2026' },
  { name: 'about', path: '/about' },
  GUIDE,
  SEARCH,
  { name: 'search-nothing', path: '/search?q=perpetuum+mobile' },
  { name: 'not-found', path: '/nothing-is-here', status: 404 },
  { name: 'sign-up', path: '/sign-up' },
  {
    name: 'sign-up-refused',
    path: '/sign-up',
    entered: { firstName: 'Ada', email: 'ada@example', password: 'short', confirmPassword: 'other' },
  },
  { name: 'sign-up-closed', path: '/sign-up', registration: 'closed' },
  { name: 'sign-up-by-invitation', path: '/sign-up', registration: 'invite' },
  { name: 'sign-up-invited', path: `/sign-up?invitation=${SHOWN_INVITATION}`, registration: 'invite' },
  { name: 'verify-email', path: '/verify-email' },
  {
    name: 'verify-email-refused',
    path: '/verify-email',
    entered: { email: 'ada@example.com', verificationCode: '123456' },
  },
  LOG_IN,
  { ...LOG_IN, name: 'log-in-refused', entered: { email: 'ada@example.com', password: 'Not-My-Password-1' } },
  { name: 'log-in-code', path: '/log-in/code' },
  { name: 'log-in-code-verify', path: '/log-in/code/verify' },
  {
    name: 'log-in-code-verify-refused',
    path: '/log-in/code/verify',
    entered: { email: 'ada@example.com', code: '123456' },
  },
  { name: 'undo-email-change', path: '/undo-email-change' },
  { name: 'log-in-second-factor', path: '/log-in/second-factor' },
  { name: 'forgot-password', path: '/forgot-password' },
  { name: 'forgot-password-refused', path: '/forgot-password', entered: { email: 'ada' } },
  { name: 'reset-password', path: '/reset-password' },
  {
    name: 'reset-password-refused',
    path: '/reset-password',
    entered: { email: 'ada@example.com', password: 'short', confirmPassword: 'other' },
  },
  ACCOUNT,
  { ...ACCOUNT, name: 'account-refused', entered: { firstName: '' } },
  { name: 'account-username', path: '/account/username', isForMember: true },
  {
    name: 'account-username-refused',
    path: '/account/username',
    isForMember: true,
    entered: { username: '-' },
  },
  { name: 'account-email', path: '/account/email', isForMember: true },
  { name: 'account-email-refused', path: '/account/email', isForMember: true, entered: { newEmail: 'ada' } },
  { name: 'account-appearance', path: '/account/appearance', isForMember: true },
  SECURITY,
  {
    ...SECURITY,
    name: 'account-security-refused',
    entered: { currentPassword: 'Not-My-Password-1', newPassword: 'short', confirmPassword: 'other' },
  },
  { name: 'account-confirm', path: '/account/confirm', isForMember: true },
  { name: 'account-data', path: '/account/data', isForMember: true },
  OVERVIEW,
  { name: 'owner-mail', path: '/owner/mail', isForMember: true },
  { name: 'owner-mail-waiting', path: '/owner/mail?state=waiting', isForMember: true },
  { name: 'owner-content', path: '/owner/content', isForMember: true },
  { name: 'owner-health', path: '/owner/health', isForMember: true },
  { name: 'owner-people', path: '/owner/people', isForMember: true },
  { name: 'owner-people-nobody', path: '/owner/people?search=xyz&filter=owners', isForMember: true },
  { name: 'owner-new-person', path: '/owner/people/new', isForMember: true },
  { name: 'owner-new-person-refused', path: '/owner/people/new', isForMember: true, entered: { email: 'ada' } },
  { name: 'owner-registration', path: '/owner/registration', isForMember: true },
  {
    name: 'owner-registration-refused',
    path: '/owner/registration',
    isForMember: true,
    entered: { allowedDomains: 'x y' },
  },
  { name: 'owner-webhooks', path: '/owner/webhooks', isForMember: true },
  { name: 'owner-new-webhook', path: '/owner/webhooks/new', isForMember: true },
  {
    name: 'owner-new-webhook-refused',
    path: '/owner/webhooks/new',
    isForMember: true,
    entered: { url: 'ftp://x.example' },
  },
  WEBHOOK,
  { ...WEBHOOK, name: 'owner-webhook-new', path: `/owner/webhook?webhookId=${NEW_WEBHOOK_ID}` },
  { ...WEBHOOK, name: 'owner-webhook-refused', entered: { url: 'http://127.0.0.1/' } },
  { name: 'owner-audit', path: '/owner/audit', isForMember: true },
  PERSON,
  { ...PERSON, name: 'owner-person-suspend-refused', entered: { reason: 'x', until: '2020-01-01' } },
  { ...PERSON, name: 'owner-person-delete-refused', entered: { email: 'grace@example.com' } },
  DOCS,
  { name: 'docs-account-api', path: '/docs/account-api' },
  { name: 'docs-content-api', path: '/docs/content-api' },
  { name: 'dev-mailbox', path: '/dev/mailbox' },
  { name: 'dev-mails', path: '/dev/mails' },
  { name: 'dev-drafts', path: '/dev/drafts' },
  { name: 'dev-draft', path: '/dev/drafts/blog/an-unfinished-post' },
  DESIGN,
]

/** Opens the page, and sends its form. Returns the last response. */
export async function openShown(page: Page, site: Service, shown: ShownPage): Promise<Response> {
  const { url } = site
  if (shown.registration) await setRegistration(site, { mode: shown.registration })
  const response = await page.goto(url + shown.path)
  if (shown.registration) await setRegistration(site, { mode: 'open' })
  assert.equal(response?.status(), shown.status ?? 200, shown.path)
  assert.equal(page.url(), url + shown.path)
  return shown.entered ? sendInvalid(page, shown.entered) : response
}

async function sendInvalid(page: Page, entered: Record<string, string>): Promise<Response> {
  const [field] = Object.keys(entered)
  const form = page.locator('main form', { has: page.locator(`[name=${field}]`) }).first()
  await form.evaluate((element) => element.closest('details')?.setAttribute('open', ''))
  for (const [name, value] of Object.entries(entered)) await form.locator(`[name=${name}]`).fill(value)
  const path = new URL(page.url()).pathname
  const sent = page.waitForResponse((response) => response.request().method() === 'POST')
  // Without the checks of the browser, so that the service finds the errors.
  await form.evaluate((element) => {
    element.noValidate = true
    element.requestSubmit()
  })
  const response = await sent
  const status = response.status()
  assert.ok(status >= 400 && status < 500, `${path} responded with ${status}`)
  await page.waitForLoadState('load')
  return response
}
