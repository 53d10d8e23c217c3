import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NEW_PASSWORD, newResetCode, register, reset, tryLogIn } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  fetchPlain,
  get,
  logIn,
  mailsTo,
  PASSWORD,
  type Person,
  signUp,
} from '../support/api.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const CHROME_ON_WINDOWS = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/138.0.0.0 Safari/537.36`
const NEWER_CHROME_ON_WINDOWS = CHROME_ON_WINDOWS.replace('138.0.0.0', '139.0.0.0')
const CHROME_ON_LINUX = `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/138.0.0.0 Safari/537.36`
const FIREFOX_ON_LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI_ON_IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
const CHROME_ON_PIXEL = `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${WEBKIT} Chrome/126.0.6478.122 Mobile Safari/537.36`
// The User-Agent of Chrome on every phone since it omits the model.
const CHROME_ON_SOME_PHONE = `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/138.0.0.0 Mobile Safari/537.36`
const FIREFOX_ON_ANDROID = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'

describe('the device of a log-in', () => {
  onBothEngines((service) => {
    const programs: [string, string, { browser: string; os: string; device: string }][] = [
      ['Chrome on Windows', CHROME_ON_WINDOWS, { browser: 'Chrome 138.0.0.0', os: 'Windows 10', device: 'Desktop' }],
      ['Firefox on Linux', FIREFOX_ON_LINUX, { browser: 'Firefox 140.0', os: 'Linux', device: 'Desktop' }],
      ['Safari on an iPhone', SAFARI_ON_IPHONE, { browser: 'Mobile Safari 18.5', os: 'iOS 18.5', device: 'iPhone' }],
      ['Chrome on a Pixel', CHROME_ON_PIXEL, { browser: 'Chrome 126.0.6478.122', os: 'Android 14', device: 'Pixel 8' }],
      [
        'Chrome on any phone',
        CHROME_ON_SOME_PHONE,
        { browser: 'Chrome 138.0.0.0', os: 'Android 10', device: 'mobile' },
      ],
      ['Firefox on Android', FIREFOX_ON_ANDROID, { browser: 'Firefox 140.0', os: 'Android 15', device: 'mobile' }],
      ['curl', 'curl/8.5.0', { browser: 'curl 8.5.0', os: 'Unknown', device: 'Desktop' }],
      ['an unheard-of program', '<b>??</b>', { browser: 'Unknown', os: 'Unknown', device: 'Desktop' }],
    ]
    for (const [name, userAgent, expected] of programs) {
      it(`is recognized for ${name}`, async () => {
        const person = await signUp(service)
        const response = await tryLogIn(service, person.email, PASSWORD, from(userAgent))
        await assertSession(service, person, response, expected)
      })
    }

    it('is recognized for a client without a User-Agent', async () => {
      const person = await signUp(service)
      const credentials = JSON.stringify({ email: person.email, password: PASSWORD })
      const json = { 'content-type': 'application/json' }
      const { body, ...rest } = await fetchPlain(service, '/api/log-in', json, 'POST', credentials)
      const response = { ...rest, body: JSON.parse(String(body)) }
      await assertSession(service, person, response, { browser: 'Unknown', os: 'Unknown', device: 'Desktop' })
    })

    it('is recognized for a User-Agent of the maximum header length', async () => {
      const person = await signUp(service)
      const userAgent = `Mozilla/5.0 (X11; Linux) ${'x'.repeat(15_000)}/1 Firefox/140.0${'9'.repeat(15_000)}`
      assertSucceeded(await tryLogIn(service, person.email, PASSWORD, from(userAgent)))
    })

    const addresses: [string, Record<string, string>, string][] = [
      ['the forwarded-for header', { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '198.51.100.9' }, '203.0.113.7'],
      ['all of the forwarded-for header', { 'x-forwarded-for': '203.0.113.7, 10.0.0.1' }, '203.0.113.7, 10.0.0.1'],
      ['the real-ip header without it', { 'x-real-ip': '2001:db8::7' }, '2001:db8::7'],
      ['unknown without both', {}, 'unknown'],
    ]
    for (const [what, headers, expected] of addresses) {
      it(`has as its address ${what}`, async () => {
        const person = await logIn(service, await signUp(service), { headers })
        assert.equal((await sessionOf(service, person, person.sessionId)).ipAddress, expected)
      })
    }

    it('is mailed to the owner once when its browser or system is new', async () => {
      const { email } = await signUp(service, {}, from(CHROME_ON_WINDOWS))
      await tryLogIn(service, email, PASSWORD, from(CHROME_ON_LINUX))
      assert.deepEqual(await noticesTo(service, email), ['Chrome 138.0.0.0 on Linux'])
      await tryLogIn(service, email, PASSWORD, from(FIREFOX_ON_LINUX))
      assert.deepEqual(await noticesTo(service, email), ['Firefox 140.0 on Linux', 'Chrome 138.0.0.0 on Linux'])
      for (const userAgent of [CHROME_ON_WINDOWS, CHROME_ON_LINUX, FIREFOX_ON_LINUX]) {
        assertSucceeded(await tryLogIn(service, email, PASSWORD, from(userAgent)))
      }
      assert.equal((await noticesTo(service, email)).length, 2)
    })

    it('is not new when only a version or the address changed', async () => {
      const { email } = await signUp(service, {}, from(CHROME_ON_WINDOWS))
      const elsewhere = { 'user-agent': NEWER_CHROME_ON_WINDOWS, 'x-forwarded-for': '203.0.113.7' }
      assertSucceeded(await tryLogIn(service, email, PASSWORD, { headers: elsewhere }))
      assert.deepEqual(await noticesTo(service, email), [])
    })

    it('stays known long after its sessions have ended', async () => {
      const { email } = await signUp(service, {}, from(CHROME_ON_WINDOWS))
      await service.advanceTime({ days: 400 })
      assertSucceeded(await tryLogIn(service, email, PASSWORD, from(CHROME_ON_WINDOWS)))
      assert.deepEqual(await noticesTo(service, email), [])
    })

    it('is not new at the first sign-in, however the account was verified', async () => {
      const { email } = await register(service)
      assertSucceeded(await reset(service, email, await newResetCode(service, email)))
      assertSucceeded(await tryLogIn(service, email, NEW_PASSWORD, from(FIREFOX_ON_LINUX)))
      assert.deepEqual(await noticesTo(service, email), [])
    })

    it('is not mailed when the log-in fails, and is still new afterwards', async () => {
      const { email } = await signUp(service, {}, from(CHROME_ON_WINDOWS))
      assertRefused(await tryLogIn(service, email, 'Wrong-Horse-7', from(FIREFOX_ON_LINUX)), 401)
      assert.deepEqual(await noticesTo(service, email), [])
      assertSucceeded(await tryLogIn(service, email, PASSWORD, from(FIREFOX_ON_LINUX)))
      assert.deepEqual(await noticesTo(service, email), ['Firefox 140.0 on Linux'])
    })
  })
})

const from = (userAgent: string) => ({ headers: { 'user-agent': userAgent } })

/** The response of the log-in describes the session as the list of sessions does later. */
async function assertSession(service: Service, owner: Person, response: ApiResponse, expected: Record<string, string>) {
  assertSucceeded(response)
  const { sessionId, ...fields } = response.body.data.session
  assert.deepEqual(fields, expected)
  const { browser, os, device, authMethod } = await sessionOf(service, owner, sessionId)
  assert.deepEqual({ browser, os, device, authMethod }, { ...expected, authMethod: 'email' })
}

async function sessionOf(service: Service, as: Person, sessionId: string): Promise<Record<string, unknown>> {
  const response = await get(service, '/api/sessions', { as })
  assertSucceeded(response)
  return response.body.data.sessions.find((session: Record<string, unknown>) => session.sessionId === sessionId)
}

/** The devices in the mails about new devices, newest first. */
async function noticesTo(service: Service, email: string): Promise<(string | undefined)[]> {
  const mails = await mailsTo(service, email)
  return mails
    .filter(({ subject }) => subject === 'New sign-in to your account - Portico')
    .map(({ text }) => /^ {4}Device: {5}(.+)$/m.exec(text)?.[1])
}
