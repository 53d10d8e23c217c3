import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { removePassword, someone } from '../support/accounts.ts'
import { get } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { logInOnPages, PageVisitor, signUpOnPages } from '../support/page-visitor.ts'
import { addPasskey, listPasskeys, newAuthenticator, signInOptions } from '../support/passkeys.ts'
import { onBothEngines, startService } from '../support/service.ts'

const SECURITY = '/account/security'

describe('passkeys on the account pages', () => {
  onBothEngines((service) => {
    const ask = async (visitor: PageVisitor, path: string, headers = {}) => {
      const response = await visitor.post(path, headers)
      return { ...response, json: response.body.startsWith('{') ? JSON.parse(response.body) : undefined }
    }

    it('sign in by a form, and lead on to a local path', async () => {
      const person = await someone(service)
      const passkey = await addPasskey(service, person)
      const visitor = new PageVisitor(service)
      const { json } = await ask(visitor, '/log-in/passkey-options')
      const fields = { passkey: JSON.stringify(passkey.get(json.options)), return_to: '/account/username' }
      const signedIn = await visitor.submit('/log-in', 'passkey', fields)
      assert.deepEqual([signedIn.status, signedIn.location], [303, '/account/username'])
      assert.equal((await visitor.get('/account')).status, 200)
      const again = await new PageVisitor(service).submit('/log-in', 'passkey', {
        passkey: JSON.stringify(passkey.get(await signInOptions(service))),
        return_to: 'https://evil.example/',
      })
      assert.deepEqual([again.status, again.location], [303, '/account'])
    })

    it('are signalled as unknown to the browser only when no account has them', async () => {
      const person = await someone(service)
      const known = await addPasskey(service, person)
      const visitor = new PageVisitor(service)
      const refuse = async (passkey: unknown) => {
        const refused = await visitor.submit('/log-in', 'passkey', { passkey: JSON.stringify(passkey) })
        assert.equal(refused.status, 401)
        assert.match(refused.body, /This passkey cannot be used to sign in\./)
        return refused.body
      }
      const stranger = newAuthenticator()
      const unknown = await refuse(stranger.get(await signInOptions(service)))
      assert.ok(unknown.includes(`data-credential-id="${stranger.id}"`))
      const options = await signInOptions(service)
      for (const fault of [{ isVerified: false }, { userHandle: 'AAAA' }, { origin: 'https://evil.example' }]) {
        assert.doesNotMatch(await refuse(known.get(options, fault)), /data-credential-id/)
      }
      const forger = newAuthenticator({ id: known.id })
      assert.doesNotMatch(await refuse(forger.get(options)), /data-credential-id/)
    })

    it('are added, renamed and removed by forms', async () => {
      const { visitor } = await signUpOnPages(service)
      const { json } = await ask(visitor, `${SECURITY}/passkey-options`)
      const authenticator = newAuthenticator()
      const passkey = JSON.stringify(authenticator.create(json.options))
      assert.equal((await visitor.submit(SECURITY, 'add-passkey', { passkey })).location, `${SECURITY}#passkeys`)
      const page = await visitor.get(SECURITY)
      assert.match(page.body, /Your passkey is added\./)
      assert.ok(page.body.includes(`data-accepted="[&quot;${authenticator.id}&quot;]"`), page.body)
      const { id } = authenticator
      const wrong = await visitor.submit(SECURITY, 'rename-passkey', { id, name: ' ' })
      assert.equal(wrong.status, 400)
      assert.match(wrong.body, /<details open>/)
      await visitor.submit(SECURITY, 'rename-passkey', { id, name: '<i>Desk</i>' })
      assert.match((await visitor.get(SECURITY)).body, /&lt;i&gt;Desk&lt;\/i&gt;/)
      await visitor.submit(SECURITY, 'remove-passkey', { id })
      assert.match((await visitor.get(SECURITY)).body, /The passkey is removed\./)
    })

    it('warn about the only way in, and offer to remove a password only when there is another', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const first = (await visitor.get(SECURITY)).body
      assert.doesNotMatch(first, /only way in/)
      assert.doesNotMatch(first, /Remove the password/)
      const { json } = await ask(visitor, `${SECURITY}/passkey-options`)
      const passkey = JSON.stringify(newAuthenticator().create(json.options))
      await visitor.submit(SECURITY, 'add-passkey', { passkey })
      const both = (await visitor.get(SECURITY)).body
      assert.doesNotMatch(both, /only way in/)
      assert.match(both, /Remove the password/)
      await removePassword(service, email)
      const { body } = await visitor.get(SECURITY)
      assert.match(body, /Your passkey is your only way in\./)
      assert.match(body, /href="\/account\/security\?open=password#password">Set a password</)
      assert.doesNotMatch(body, /value="remove-passkey"/)
    })

    it('refuse calls of other sites and of guests, and malformed passkeys', async () => {
      const visitor = new PageVisitor(service)
      const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      for (const path of [
        '/log-in/passkey-options',
        `${SECURITY}/passkey-options`,
        '/account/confirm/passkey-options',
      ]) {
        assert.equal((await ask(visitor, path, foreign)).status, 403)
      }
      for (const path of [`${SECURITY}/passkey-options`, '/account/confirm/passkey-options']) {
        const refused = await ask(visitor, path)
        assert.deepEqual([refused.status, refused.json.code], [401, 'authentication_required'])
      }
      for (const passkey of ['', '{', 'null', '[]', '{"id":1}']) {
        assert.equal((await visitor.submit('/log-in', 'passkey', { passkey })).status, 400, passkey)
      }
    })

    it('say by a code when the options need a recent proof', async () => {
      const { visitor } = await signUpOnPages(service)
      await service.advanceTime({ hours: 1 })
      const refused = await ask(visitor, `${SECURITY}/passkey-options`)
      assert.deepEqual([refused.status, refused.json.code], [403, 'reauthentication_required'])
    })

    it('may be created by the browser on the first account page after a log-in with a password, and only there', async () => {
      const person = await someone(service)
      const visitor = await logInOnPages(service, person.email)
      assert.match((await visitor.get('/account')).body, /passkey-upgrade/)
      assert.doesNotMatch((await visitor.get('/account')).body, /passkey-upgrade/)
      const { json } = await ask(visitor, `${SECURITY}/passkey-options?conditional`)
      const silent = newAuthenticator().create(json.options, { isPresent: false, isVerified: false })
      await visitor.submit(SECURITY, 'add-passkey', { passkey: JSON.stringify(silent) })
      assert.equal((await listPasskeys(service, person)).length, 1)

      const passkey = await addPasskey(service, person)
      const other = new PageVisitor(service)
      await other.submit('/log-in', 'passkey', { passkey: JSON.stringify(passkey.get(await signInOptions(service))) })
      assert.doesNotMatch((await other.get('/account')).body, /passkey-upgrade/)
    })

    it('are found by password managers', async () => {
      const { status, body, headers } = await get(service, '/.well-known/passkey-endpoints')
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', /^application\/json/)
      const page = 'http://localhost:3000/account/security#passkeys'
      assert.deepEqual(body, { enroll: page, manage: page })
    })
  })

  it('are not offered at an IP address, for which browsers refuse them', async (t) => {
    const service = await startService('sqlite', { BASE_URL: 'http://127.0.0.1:3000' })
    cleanUp(t, () => service.close())
    const { visitor } = await signUpOnPages(service)
    assert.doesNotMatch((await visitor.get(SECURITY)).body, /id="passkeys"/)
    assert.doesNotMatch((await new PageVisitor(service).get('/log-in')).body, /with a passkey<\/button>/)
    assert.equal((await get(service, '/.well-known/passkey-endpoints')).status, 404)
  })
})
