import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LIMIT_NAMES, type LimitName, limitSetting } from '../../src/config/limit-kinds.ts'
import { dereference } from '../../src/http/openapi-references.ts'
import { someone } from '../support/accounts.ts'
import { assertRefused, call, get, PASSWORD, type Person, registration } from '../support/api.ts'
import { compileDescription, readDocument } from '../support/api-description.ts'
import { cleanUp } from '../support/clean-up.ts'
import { filePart, WIRE_FORM, wireForm } from '../support/hostile-input.ts'
import { signUpOwner } from '../support/owners.ts'
import { newAuthenticator } from '../support/passkeys.ts'
import { ANY_PICTURE } from '../support/pictures.ts'
import { type Service, startService } from '../support/service.ts'

/** Enough of the options for a passkey that the schema accepts. */
const ANY_OPTIONS = { challenge: 'x', rp: { id: 'localhost' }, user: { id: 'x' } }
const HIGH_RATE = '1000000/1h'

interface Limited {
  name: string
  method: string
  path: string
  limits: { name: LimitName; limit: number; windowSeconds: number }[]
  hasRefusal: boolean
}

type Methods = Record<string, { responses: Record<string, { headers?: Record<string, unknown> }> }>

/** The operations of the account API, or of the owner API for an owner. */
async function limitedOperations(service: Service, owner?: Person): Promise<Limited[]> {
  const { paths } = owner
    ? dereference((await get(service, '/api/owner/openapi.json', { as: owner })).body)
    : await readDocument(service)
  return Object.entries<Record<string, { responses: Record<string, { 'x-rate-limits': Limited['limits'] }> }>>(
    paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      limits: responses['429']?.['x-rate-limits'] ?? [],
      hasRefusal: '429' in responses,
    })),
  )
}

/** Sends a valid request of an operation, so that each of its limits is counted. */
function send(service: Service, { name, method, path }: Limited, as: Person) {
  const { email } = as
  const passwords = { password: PASSWORD, confirmPassword: PASSWORD }
  const bodies: Record<string, unknown> = {
    'POST /api/create-account': registration(),
    'POST /api/log-in': { email, password: 'Wrong-Horse-7' },
    'POST /api/forgot-password': { email },
    'POST /api/email-verification/resend': { email },
    'POST /api/log-in/code': { email },
    'POST /api/change-email': { newEmail: 'ada@newmail.example' },
    'POST /api/reset-password': { email, resetToken: '123456', ...passwords },
    'POST /api/change-password': { currentPassword: PASSWORD, newPassword: PASSWORD, confirmPassword: PASSWORD },
    'POST /api/reauthenticate': { password: 'Wrong-Horse-7' },
    'DELETE /api/delete-user': { password: 'Wrong-Horse-7' },
    'POST /api/authenticator-app/confirm': { code: '123456' },
    'POST /api/second-factor': { isRequired: false },
    'POST /api/passkeys': { passkey: newAuthenticator().create(ANY_OPTIONS) },
    'DELETE /api/passkeys': { id: 'x' },
    'POST /api/linked-accounts': { provider: 'idp' },
    'DELETE /api/linked-accounts': { provider: 'idp' },
  }
  if (path === '/api/uploads') {
    return call(service, method, path, wireForm(filePart(ANY_PICTURE)), { as, headers: WIRE_FORM })
  }
  return call(service, method, path, bodies[name], { as })
}

describe('the limits in the API description', () => {
  it('are left out when limits are off', async (t) => {
    const service = await startService('sqlite', { RATE_LIMITS: 'off' })
    cleanUp(t, () => service.close())
    const owner = await signUpOwner(service)
    for (const operations of [await limitedOperations(service), await limitedOperations(service, owner)]) {
      for (const { name, limits, hasRefusal } of operations) assert.deepEqual([limits, hasRefusal], [[], false], name)
    }
    const { body } = await get(service, '/api/openapi.json')
    assert.deepEqual(Object.keys(body.paths['/api/log-in'].post.responses), ['200', '400', '401', '403', '413', '503'])
  })

  it('state the rates of the settings, in words, in headers and for programs', async (t) => {
    const service = await startService('sqlite', { RATE_LIMITS: 'on', RATE_LIMIT_LOGIN: '7/2m' })
    cleanUp(t, () => service.close())
    const { body } = await get(service, '/api/openapi.json')
    const { 200: success, 429: refused } = body.paths['/api/log-in'].post.responses
    assert.match(refused.description, /7 in 2 minutes \(log-ins for one account from one address\)/)
    assert.deepEqual(refused['x-rate-limits'].slice(0, 2), [
      {
        name: 'api',
        limit: 100,
        windowSeconds: 60,
        counts: 'all calls of one session, or of one address without a session',
      },
      { name: 'login', limit: 7, windowSeconds: 120, counts: 'log-ins for one account from one address' },
    ])
    const limited = ['RateLimit', 'RateLimit-Policy']
    assert.deepEqual(Object.keys(success.headers), ['X-Request-Id', ...limited])
    assert.deepEqual(Object.keys(refused.headers), ['X-Request-Id', ...limited, 'Retry-After'])
    const { body: content } = await get(service, '/openapi.json')
    const calendar = content.paths['/api/github-contributions'].get.responses
    assert.deepEqual(
      calendar['429']['x-rate-limits'].map(({ name }: { name: string }) => name),
      ['api'],
    )
  })

  it('describe the headers at every response of a counted operation, where the service sends them', async (t) => {
    const service = await startService('sqlite', { RATE_LIMITS: 'on', RATE_LIMIT_API: HIGH_RATE })
    cleanUp(t, () => service.close())
    const documents = [await readDocument(service), dereference((await get(service, '/openapi.json')).body)]
    const seen = new Set<number>()
    for (const [path, methods] of documents.flatMap(({ paths }) => Object.entries<Methods>(paths))) {
      for (const [method, { responses }] of Object.entries(methods)) {
        if (!responses['429']) continue
        for (const [status, { headers }] of Object.entries(responses)) {
          for (const name of ['RateLimit', 'RateLimit-Policy']) assert.ok(headers?.[name], `${path} ${status} ${name}`)
        }
        const { status, headers } = await call(service, method.toUpperCase(), path)
        assert.ok(headers.has('ratelimit'), `${method} ${path} ${status}`)
        assert.ok(responses[status], `${method} ${path} ${status}`)
        seen.add(status)
      }
    }
    assert.deepEqual([...seen].sort(), [200, 400, 401, 404, 500])
  })

  it('name each limit at an operation of the account API or of the owner API', async (t) => {
    const service = await startService('sqlite', { RATE_LIMITS: 'on' })
    cleanUp(t, () => service.close())
    const ofOwners = await limitedOperations(service, await signUpOwner(service))
    const namesOf = ({ limits }: Limited) => limits.map(({ name }) => name)
    const named = new Set([...(await limitedOperations(service)), ...ofOwners].flatMap(namesOf))
    assert.deepEqual([...named].sort(), LIMIT_NAMES.toSorted())
    assert.deepEqual(
      Object.fromEntries(ofOwners.filter(({ limits }) => limits.length > 1).map((each) => [each.name, namesOf(each)])),
      {
        'POST /api/owner/person/reset-mail': ['api', 'invitation', 'mail'],
        'POST /api/owner/invitations': ['api', 'invitation', 'mail'],
        'POST /api/owner/mails/test': ['api', 'testmail'],
      },
    )
  })

  it('describe the refusal of a search as the service sends it', async (t) => {
    const service = await startService('sqlite', { RATE_LIMITS: 'on', RATE_LIMIT_API: '1/1h' })
    cleanUp(t, () => service.close())
    const { body: document } = await get(service, '/openapi.json')
    const refused = dereference(document).paths['/search.json'].get.responses['429']
    assert.deepEqual(
      refused['x-rate-limits'].map(({ name, limit }: { name: string; limit: number }) => [name, limit]),
      [['api', 1]],
    )
    assert.equal((await get(service, '/search.json?q=a')).status, 200)
    const { status, headers, body } = await get(service, '/search.json?q=a')
    assert.equal(status, 429)
    assert.equal(compileDescription(document).faultBy('Error', body), undefined)
    const { error: expected } = refused.content['application/json'].example
    assert.deepEqual([body.error.code, body.error.message], [expected.code, expected.message])
    assert.ok(refused['x-error-codes'].includes(body.error.code), `${body.error.code} in ${refused['x-error-codes']}`)
    assert.deepEqual(Object.keys(refused.headers), ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After'])
    for (const name of Object.keys(refused.headers)) assert.ok(headers.has(name), name)
    assert.match(headers.get('ratelimit-policy') ?? '', /^"api";q=1;w=3600/)
    assert.match(headers.get('ratelimit') ?? '', /^"api";r=0;t=\d+/)
    const seconds = Number(headers.get('retry-after'))
    assert.ok(seconds > 0 && seconds <= 3600, `${seconds} seconds`)
  })

  for (const limit of LIMIT_NAMES) {
    it(`name "${limit}" exactly where the service counts it`, async (t) => {
      const rates = Object.fromEntries(
        LIMIT_NAMES.map((name) => [limitSetting(name), name === limit ? '1/1h' : HIGH_RATE]),
      )
      const service = await startService('sqlite', { RATE_LIMITS: 'on', ...rates, RATE_LIMIT_API: HIGH_RATE })
      cleanUp(t, () => service.close())
      for (const operation of await limitedOperations(service)) {
        const isNamed = operation.limits.some(({ name }) => name === limit)
        // Every call counts in this one; its rate is not lowered, because reading the description is a call too.
        if (limit === 'api') {
          const { headers } = await call(service, operation.method, operation.path)
          assert.match(headers.get('ratelimit-policy') ?? '', /^"api";q=1000000;w=3600/, operation.name)
          assert.ok(isNamed, operation.name)
          continue
        }
        await service.portico.database.query.deleteFrom('rate_limits').execute()
        assert.equal(await isLimited(service, operation), isNamed, operation.name)
      }
    })
  }
})

/** Whether a second call is refused by a limit. */
async function isLimited(service: Service, operation: Limited): Promise<boolean> {
  const as = await someone(service)
  await send(service, operation, as)
  const response = await send(service, operation, as)
  if (response.status !== 429) return false
  assertRefused(response, 429)
  return true
}
