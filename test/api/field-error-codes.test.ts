import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  type CallOptions,
  call,
  fieldCodesOf,
  type Person,
  registration,
} from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { FIELD_ERROR_CODES } from '../support/error-codes.ts'
import { filePart, WIRE_FORM, wireForm } from '../support/hostile-input.ts'
import { onBothEngines, startService } from '../support/service.ts'

const deep = (levels: number): unknown => (levels === 0 ? 1 : { inner: deep(levels - 1) })

describe('the codes of field errors', () => {
  onBothEngines((service) => {
    let person: Person
    const met = new Set<string>()
    before(async () => {
      person = await someone(service)
    })

    async function refusedFor(field: string, code: string, response: Promise<ApiResponse>): Promise<void> {
      const refused = await response
      assertRefused(refused, 400, 'Validation failed')
      assert.equal(fieldCodesOf(refused)[field], code, JSON.stringify(refused.body))
      met.add(code)
    }
    const send = (path: string, body: unknown, options?: CallOptions) => call(service, 'POST', path, body, options)
    const register = (fields: object) => send('/api/create-account', { ...registration(), ...fields })
    const update = (fields: object) => send('/api/user-details', fields, { as: person })

    it('identify the error of each field', async () => {
      await refusedFor('email', 'required', register({ email: undefined }))
      await refusedFor('firstName', 'required', register({ firstName: '' }))
      await refusedFor('firstName', 'required', register({ firstName: ' ' }))
      await refusedFor('firstName', 'invalid_type', register({ firstName: 7 }))
      await refusedFor('email', 'invalid_format', register({ email: 'nobody' }))
      await refusedFor('password', 'invalid_format', register({ password: 'no-uppercase-letter' }))
      await refusedFor('password', 'too_short', register({ password: 'Short-7' }))
      await refusedFor('firstName', 'too_long', register({ firstName: 'x'.repeat(51) }))
      await refusedFor('confirmPassword', 'mismatch', register({ confirmPassword: 'Another-Horse-7' }))
      await refusedFor('lastName', 'required', update({ lastName: '' }))
      const account = { provider: 'x', url: 'https://example.com' }
      await refusedFor('socialAccounts', 'too_many', update({ socialAccounts: Array(21).fill(account) }))
      await refusedFor('socialAccounts.0.url', 'invalid_format', update({ socialAccounts: [{ ...account, url: 'x' }] }))
      await refusedFor('dob', 'out_of_range', update({ dob: '2999-12-31' }))
      await refusedFor('dob', 'invalid_format', update({ dob: 'yesterday' }))
      await refusedFor('dob', 'invalid_type', update({ dob: 7 }))
      await refusedFor('bio', 'invalid_format', update({ bio: '\ud800' }))
      const events = (query: string) => call(service, 'GET', `/api/security-events${query}`, undefined, { as: person })
      await refusedFor('limit', 'out_of_range', events('?limit=1000'))
      await refusedFor('provider', 'not_allowed', send('/api/linked-accounts', { provider: 'x' }, { as: person }))
    })

    it('are listed in the order of the fields in the description', async () => {
      const fields = { firstName: '', email: undefined, password: 'Short-7', confirmPassword: undefined }
      const { errors = [] } = (await register(fields)).body
      assert.deepEqual(
        errors.map(({ field }: { field: string }) => field),
        ['firstName', 'email', 'password', 'confirmPassword'],
      )
    })

    it('identify the error of a body', async () => {
      const plain = { headers: { 'content-type': 'text/plain' } }
      await refusedFor('body', 'unsupported_media_type', send('/api/log-in', 'x', plain))
      await refusedFor('body', 'invalid_format', send('/api/log-in', '{'))
      await refusedFor('body', 'too_deep', send('/api/log-in', deep(30)))
      await refusedFor('body', 'too_many', send('/api/log-in', { list: Array(501).fill(1) }))
    })

    it('identify the error of a file', async () => {
      const form = { as: person, headers: WIRE_FORM }
      await refusedFor('file', 'required', send('/api/uploads', {}, { as: person }))
      await refusedFor('file', 'invalid_type', send('/api/uploads', { file: 'a.png' }, { as: person }))
      const words = wireForm(filePart(Buffer.from('words')))
      await refusedFor('file', 'invalid_format', send('/api/uploads', words, form))
    })

    it('are the whole list except three that other tests cover', () => {
      const others = FIELD_ERROR_CODES.filter((code) => !met.has(code))
      assert.deepEqual(others, ['too_large', 'too_common', 'breached_password'])
    })
  })

  it('include too_common with the policy nist', async (t) => {
    const service = await startService('sqlite', { PASSWORD_POLICY: 'nist' })
    cleanUp(t, () => service.close())
    const password = 'passwordpassword'
    const response = await call(service, 'POST', '/api/create-account', { ...registration(), password })
    assert.equal(fieldCodesOf(response).password, 'too_common')
  })
})
