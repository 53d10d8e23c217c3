import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NEW_PASSWORD, someone } from '../support/accounts.ts'
import { assertSucceeded, get, logIn, mailsTo, PASSWORD, type Person, post } from '../support/api.ts'
import { logInOnPages } from '../support/page-visitor.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const CLAIMED = '8.8.8.8'

// Each has text of its own in the place of a program's name or version.
const MADE_UP = [
  'your-bank.example/1.0',
  'Call-0800-123-now/2',
  'Mozilla/5.0 (X11; Linux x86_64) Evil.example/1.0',
  'Mozilla/5.0 (Windows NT evil.example) Gecko/20100101 Firefox/evil.example',
  'Mozilla/5.0 (Linux; Android evil.example; Evil.example) AppleWebKit/537.36 Chrome/evil.example Safari/537.36',
  'Mozilla/5.0 (compatible; Konqueror/evil.example; Debian evil.example)',
  'Mozilla/5.0 (X11; U; Linux evil.example; en) Epiphany/evil.example',
  '<b>evil.example</b>/1',
]

describe('the claims of a request about its client', () => {
  onBothEngines((service) => {
    it('are no address in the mails to an owner: they contain the address of the connection', async () => {
      const person = await someone(service)
      const headers = { 'user-agent': FIREFOX, 'x-forwarded-for': `${CLAIMED}, 1.1.1.1`, 'x-real-ip': CLAIMED }
      const there = await logIn(service, person, { headers })
      await changePassword(service, there, headers)
      const mails = await mailsTo(service, person.email)
      assert.equal(mails.length, 2)
      for (const { text, html } of mails) {
        assert.match(text, /Device: {5}Firefox 140\.0 on Linux\n {4}IP address: 127\.0\.0\.1\n/)
        assert.ok(!`${text}${html}`.includes(CLAIMED))
      }
    })

    for (const userAgent of MADE_UP) {
      it(`are no text in the mails to an owner: ${userAgent}`, async () => {
        const person = await someone(service)
        const headers = { 'user-agent': userAgent }
        await changePassword(service, await logIn(service, person, { headers }), headers)
        const mails = await mailsTo(service, person.email)
        assert.ok(mails.length > 0)
        for (const { text, html } of mails) {
          assert.match(text, /UTC\n {4}Device: {5}[A-Z][A-Za-z ]+\n {4}IP address: 127\.0\.0\.1\n/)
          assert.doesNotMatch(`${text}${html}`, /evil|bank|0800/i)
        }
      })
    }

    it('are no address in the security events', async () => {
      const person = await someone(service)
      await logIn(service, person, { headers: { 'x-forwarded-for': CLAIMED } })
      const { body } = await get(service, '/api/security-events', { as: person })
      assert.equal(body.data.events[0].ipAddress, '127.0.0.1')
    })

    it('remain the ipAddress of a session, beside the address of the connection', async () => {
      const person = await someone(service)
      const there = await logIn(service, person, { headers: { 'x-forwarded-for': CLAIMED } })
      const { body } = await get(service, '/api/sessions', { as: there })
      const session = body.data.sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
      assert.deepEqual([session.ipAddress, session.clientIp], [CLAIMED, '127.0.0.1'])
    })

    it('are marked as claims on the page of an owner', async () => {
      const person = await someone(service)
      await logIn(service, person, { headers: { 'x-forwarded-for': '<i>8.8.8.8', 'user-agent': 'evil.example/1' } })
      const { body } = await (await logInOnPages(service, person.email)).get('/account/security')
      assert.match(body, / at 127\.0\.0\.1 \(the device itself reported &lt;i&gt;8\.8\.8\.8\)/)
      assert.match(body, /Their names are what they report about themselves\./)
    })
  })
})

describe('the address that a trusted proxy adds to a request', () => {
  onBothEngines(
    (service) => {
      it('is the address in mails, events and sessions; addresses before it remain claims of the client', async () => {
        const person = await someone(service)
        const headers = { 'user-agent': FIREFOX, 'x-forwarded-for': `${CLAIMED}, 203.0.113.7` }
        const there = await logIn(service, person, { headers })
        const [mail] = await mailsTo(service, person.email)
        assert.match(mail?.text ?? '', /IP address: 203\.0\.113\.7\n/)
        const { body } = await get(service, '/api/security-events', { as: there })
        assert.equal(body.data.events[0].ipAddress, '203.0.113.7')
        const { body: listed } = await get(service, '/api/sessions', { as: there })
        assert.equal(listed.data.sessions[0].clientIp, '203.0.113.7')
      })
    },
    { TRUSTED_PROXIES: '127.0.0.1' },
  )
})

async function changePassword(service: Service, as: Person, headers: Record<string, string>): Promise<void> {
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
  assertSucceeded(await post(service, '/api/change-password', body, { as, headers }))
}
