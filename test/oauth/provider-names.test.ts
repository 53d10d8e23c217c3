import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mailsTo } from '../support/api.ts'
import { PageVisitor, signUpOnPages } from '../support/page-visitor.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { configErrorsOf } from '../support/service.ts'
import { signedIn } from '../support/sign-in-steps.ts'

const NAMES = { codehost: 'Ada’s <Forge> & "Co"', idp: 'Example Login' }
const ESCAPED = { codehost: 'Ada’s &lt;Forge&gt; &amp; &quot;Co&quot;', idp: 'Example Login' }

describe('the name of a sign-in provider', () => {
  withProviders(
    (service, providers) => {
      for (const name of PROVIDER_NAMES) {
        it(`is ${name.toUpperCase()}_NAME on the pages`, async () => {
          const host = new URL(providers[name].url).host
          for (const path of ['/log-in', '/sign-up']) {
            const { body } = await new PageVisitor(service).get(path)
            assert.ok(body.includes(`>Continue with ${ESCAPED[name]}</a>`), body)
            assert.ok(!body.includes(host))
          }
          const { visitor } = await signUpOnPages(service)
          const { body } = await visitor.get('/account/security')
          assert.ok(body.includes(`<strong>${ESCAPED[name]}</strong>`), body)
          assert.ok(body.includes(`aria-label="Connect ${ESCAPED[name]}"`), body)
        })
      }

      it('is in the markdown of the log-in page, with the call that starts it', async () => {
        const { body } = await new PageVisitor(service).get('/log-in.md')
        const ways =
          'with e-mail and password, with a passkey, through Ada’s \\<Forge> & "Co", or through Example Login'
        assert.ok(body.includes(`\nLog in ${ways}. It is for`), body)
        for (const name of PROVIDER_NAMES) assert.ok(body.includes(`\`GET /api/oauth/${name}/start\``), body)
      })

      it('is the same in mails', async () => {
        const subject = providers.codehost.people.admit()
        const { email } = providers.codehost.people.get(subject)
        await signedIn(service, providers.codehost, subject)
        await signedIn(service, providers.idp, providers.idp.people.admit({ email }))
        const [mail] = (await mailsTo(service, email ?? '')).filter((each) => each.text.includes('can now sign in'))
        assert.match(mail?.subject ?? '', /^You can now sign in with Example Login/)
      })
    },
    { CODEHOST_NAME: NAMES.codehost, IDP_NAME: NAMES.idp },
  )

  const RULE = 'must have at most 40 characters, in one line and without control characters, such as Example Login'
  for (const setting of ['IDP_NAME', 'CODEHOST_NAME']) {
    it(`is refused at start when ${setting} is too long or not one line`, () => {
      for (const value of ['a'.repeat(41), 'a\r\nBcc: b@example.com', 'a\u2028b', 'a\u202eb', 'a\0b']) {
        assert.deepEqual(configErrorsOf({ [setting]: value }), [`  ${setting} ${RULE}`])
      }
      for (const value of ['a'.repeat(40), '雪'.repeat(40), '🙂'.repeat(40), '']) {
        assert.deepEqual(configErrorsOf({ [setting]: value }), [])
      }
    })
  }
})
