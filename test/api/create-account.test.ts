import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertRefused,
  assertSucceeded,
  fieldsOf,
  mailsTo,
  newEmail,
  PASSWORD,
  post,
  registration,
  signUp,
} from '../support/api.ts'
import { onBothEngines } from '../support/service.ts'

describe('create-account', () => {
  onBothEngines((service) => {
    it('creates an unverified account and mails one code', async () => {
      const body = registration()
      const response = await post(service, '/api/create-account', body)
      assertSucceeded(response, 201)
      assert.deepEqual(Object.keys(response.body.data).sort(), ['email', 'userId'])
      assert.equal(response.body.data.email, body.email)

      const mails = await mailsTo(service, body.email)
      assert.equal(mails.length, 1)
      assert.match(mails[0]?.text ?? '', /^ {4}\d{6}$/m)
      const user = await service.portico.store.findByEmail(body.email)
      assert.equal(user?.id, response.body.data.userId)
      assert.equal(user?.email_verified_at, null)
    })

    it('stores the password only as an argon2id hash', async () => {
      const body = registration()
      await post(service, '/api/create-account', body)
      const user = await service.portico.store.findByEmail(body.email)
      assert.match(user?.password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      assert.ok(!JSON.stringify(user).includes(PASSWORD))
    })

    it('trims the address and converts it to lower case', async () => {
      const email = newEmail()
      const response = await post(service, '/api/create-account', registration({ email: `  ${email.toUpperCase()} ` }))
      assertSucceeded(response, 201)
      assert.equal(response.body.data.email, email)
    })

    it('refuses an address that is registered, verified or not, in any spelling, and mails nothing', async () => {
      const unverified = registration()
      await post(service, '/api/create-account', unverified)
      const verified = await signUp(service)
      for (const email of [unverified.email, unverified.email.toUpperCase(), verified.email]) {
        const mailsBefore = await mailsTo(service, email)
        const response = await post(service, '/api/create-account', registration({ email }))
        assertRefused(response, 409, 'Email already registered')
        assert.deepEqual(await mailsTo(service, email), mailsBefore)
      }
    })

    it('gives two users of one name different usernames', async () => {
      const name = { firstName: 'Zoë', lastName: 'Łukasz' }
      const usernames = await Promise.all(
        [1, 2, 3].map(async () => {
          const { email } = await signUp(service, name)
          return (await service.portico.store.findByEmail(email))?.username
        }),
      )
      assert.equal(new Set(usernames).size, 3)
      assert.ok(usernames.includes('zoe.lukasz'))
    })

    it('gives a username to a name that has no Latin letters', async () => {
      const { email } = await signUp(service, { firstName: '雪', lastName: '李' })
      assert.match((await service.portico.store.findByEmail(email))?.username ?? '', /^user\d+$|^user$/)
    })

    it('reports every invalid field at once and stores nothing', async () => {
      const email = newEmail()
      const response = await post(service, '/api/create-account', {
        firstName: '   ',
        email,
        password: 'lower-case-only',
        confirmPassword: 'something else',
      })
      assertRefused(response, 400, 'Validation failed')
      assert.deepEqual(fieldsOf(response), {
        firstName: 'First name is required',
        lastName: 'Last name is required',
        password: 'Password must contain at least one uppercase letter',
        confirmPassword: 'Passwords do not match',
      })
      assert.equal(await service.portico.store.findByEmail(email), undefined)
      assert.deepEqual(await mailsTo(service, email), [])
    })

    const faulty: [string, Record<string, unknown>, string][] = [
      ['an address without a domain', { email: 'nobody' }, 'email'],
      ['two addresses', { email: 'a@example.com,b@example.com' }, 'email'],
      ['an address with a line break', { email: 'a@example.com\r\nBcc: b@example.com' }, 'email'],
      ['an address of 255 characters', { email: `${'a'.repeat(61)}@${'b.'.repeat(93)}example` }, 'email'],
      ['a password of 7 characters', { password: 'Short-7', confirmPassword: 'Short-7' }, 'password'],
      ['a password of 129 characters', { password: 'A'.repeat(129), confirmPassword: 'A'.repeat(129) }, 'password'],
      ['a name of 51 characters', { firstName: 'x'.repeat(51) }, 'firstName'],
      ['a name with a line break', { lastName: 'Hopper\nBcc: b@example.com' }, 'lastName'],
      ['a number for a name', { firstName: 7 }, 'firstName'],
      ['null for a name', { firstName: null }, 'firstName'],
      ['a list for a password', { password: [PASSWORD] }, 'password'],
      ['an object for an address', { email: { $ne: 1 } }, 'email'],
    ]
    for (const [what, fault, field] of faulty) {
      it(`refuses ${what}`, async () => {
        const response = await post(service, '/api/create-account', registration(fault))
        assertRefused(response, 400, 'Validation failed')
        assert.ok(field in fieldsOf(response), JSON.stringify(response.body))
      })
    }

    it('accepts a password of 128 characters of any script, in any normalisation form', async () => {
      const decomposed = `Å${'é'.repeat(60)}`.normalize('NFD')
      const person = await signUp(service, { password: decomposed, confirmPassword: decomposed.normalize('NFC') })
      const response = await post(service, '/api/log-in', {
        email: person.email,
        password: decomposed.normalize('NFC'),
      })
      assertSucceeded(response)
    })
  })
})
