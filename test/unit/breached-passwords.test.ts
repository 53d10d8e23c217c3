import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { createRefuseBreachedPassword } from '../../src/accounts/breached-passwords.ts'
import { Refusal } from '../../src/http/refusal.ts'
import { startBreachedList } from '../support/breached-passwords.ts'
import { type Fault, freePort } from '../support/local-servers.ts'

const BREACHED = 'Correct-Horse-Battery-Staple'
const UNKNOWN = 'Seven-Red-Boats-At-Dusk'
const digestOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase()

function checkWith(url: string | undefined) {
  const warnings: string[] = []
  const log = { warn: (...values: unknown[]) => void warnings.push(JSON.stringify(values)) }
  return { warnings, refuse: createRefuseBreachedPassword(url, log as never) }
}

const isBreached = (error: unknown) =>
  error instanceof Refusal &&
  error.status === 400 &&
  JSON.stringify(error.errors) ===
    JSON.stringify([
      {
        field: 'password',
        code: 'breached_password',
        message: 'Password is known from a data breach, please choose another one',
      },
    ])

describe('the list of breached passwords', () => {
  it('refuses a listed password and no other, also in lower case and without the slash of the URL', async (t) => {
    for (const lowerCase of [false, true]) {
      const { url } = await startBreachedList(t, [BREACHED], { lowerCase })
      for (const spelling of [url, url.slice(0, -1)]) {
        const { refuse, warnings } = checkWith(spelling)
        await assert.rejects(refuse('password', BREACHED), isBreached)
        await refuse('password', UNKNOWN)
        assert.deepEqual(warnings, [])
      }
    }
  })

  it('is sent five digits of the hash and a request for padding', async (t) => {
    const list = await startBreachedList(t, [])
    await checkWith(list.url).refuse('password', BREACHED)
    const [request, ...others] = list.requests
    assert.deepEqual(others, [])
    assert.equal(request?.path, `/range/${digestOf(BREACHED).slice(0, 5)}`)
    assert.equal(request?.headers['add-padding'], 'true')
    assert.ok(!JSON.stringify(request).includes(digestOf(BREACHED).slice(5)))
  })

  it('does not refuse a password that a row of padding has', async (t) => {
    const { url } = await startBreachedList(t, [], { padding: [BREACHED] })
    await checkWith(url).refuse('password', BREACHED)
  })

  it('is not asked when there is no setting', async () => {
    const { refuse, warnings } = checkWith(undefined)
    await refuse('password', BREACHED)
    assert.deepEqual(warnings, [])
  })

  const faults: [what: string, fault: Fault, reason: RegExp][] = [
    ['responds with an error', { status: 500, body: 'no' }, /status 500/],
    ['redirects', { status: 302, body: '' }, /TypeError/],
    ['sends something else', { type: 'text/html', body: '<h1>Welcome to the hotel Wi-Fi</h1>' }, /no range/],
    ['sends nothing', { body: '' }, /no range/],
    ['does not respond within a second', 'silence', /TimeoutError/],
    ['stops in the middle of its response', 'half', /TimeoutError/],
    ['never ends its response', 'endless', /ResponseTooLarge/],
  ]
  for (const [what, fault, reason] of faults) {
    it(`lets every password pass when it ${what}, and logs nothing of the password`, async (t) => {
      const list = await startBreachedList(t, [BREACHED])
      list.fault = fault
      const { refuse, warnings } = checkWith(list.url)
      await refuse('password', BREACHED)
      await Promise.all([refuse('password', BREACHED), refuse('password', UNKNOWN)])
      assert.equal(list.requests.length, 3)
      // One warning a minute.
      assert.equal(warnings.length, 1)
      assert.match(warnings[0] ?? '', reason)
      assert.match(warnings[0] ?? '', /"unchecked":1\b/)
      for (const password of [BREACHED, UNKNOWN]) {
        assert.ok(!warnings[0]?.includes(password) && !warnings[0]?.includes(digestOf(password).slice(0, 5)))
      }
      list.fault = undefined
      await assert.rejects(refuse('password', BREACHED), isBreached)
    })
  }

  it('lets every password pass when nothing listens', async () => {
    const { refuse, warnings } = checkWith(`http://127.0.0.1:${await freePort()}/range/`)
    await refuse('password', BREACHED)
    assert.match(warnings[0] ?? '', /ECONNREFUSED/)
  })

  it('has at most a hundred open requests', async (t) => {
    const list = await startBreachedList(t, [BREACHED])
    list.fault = 'silence'
    const { refuse } = checkWith(list.url)
    await Promise.all(Array.from({ length: 150 }, () => refuse('password', BREACHED)))
    assert.equal(list.requests.length, 100)
  })
})
