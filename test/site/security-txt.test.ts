import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { fetchPlain, get } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Files, markdown, startSite } from '../support/site.ts'

const PATH = '/.well-known/security.txt'
const CONTACT = { SECURITY_CONTACT: 'security@site.example https://site.example/report' }
const HALF_A_YEAR_MS = 180 * 24 * 3_600_000

async function securityTxt(t: TestContext, files: Files, settings: Record<string, string> = {}): Promise<string[]> {
  const site = await startSite(files, { ...CONTACT, ...settings })
  cleanUp(t, () => site.close())
  const { status, headers, body } = await get(site, PATH)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.match(headers.get('cache-control') ?? '', /^public, max-age=\d+$/)
  return body.split('\n')
}

describe('security.txt', () => {
  it('has contacts, an expiry date, a language, its own URL and the policy, if there is a page for it', async (t) => {
    const lines = await securityTxt(t, {
      'site.yaml': 'title: Ada\nlanguage: en-gb\n',
      'pages/security.md': markdown({ title: 'Security' }),
    })
    const [mail, web, expires = '', ...others] = lines
    assert.deepEqual([mail, web], ['Contact: mailto:security@site.example', 'Contact: https://site.example/report'])
    const [, end = ''] = /^Expires: (\d{4}-\d\d-\d\dT00:00:00\.000Z)$/.exec(expires) ?? []
    const left = Date.parse(end) - Date.now()
    assert.ok(left > HALF_A_YEAR_MS - 24 * 3_600_000 && left <= HALF_A_YEAR_MS)
    assert.deepEqual(others, [
      'Preferred-Languages: en-GB',
      'Canonical: https://site.example/.well-known/security.txt',
      'Policy: https://site.example/security',
      '',
    ])
  })

  it('never expires, however long the service runs', async (t) => {
    const site = await startSite({}, CONTACT)
    cleanUp(t, () => site.close())
    const later = Date.now() + 400 * 24 * 3_600_000
    t.mock.timers.enable({ apis: ['Date'], now: later })
    const { body } = await get(site, PATH)
    assert.ok(Date.parse(/^Expires: (.+)$/m.exec(body)?.[1] ?? '') > later)
  })

  it('leaves out a policy that does not exist, and URLs that are not https', async (t) => {
    const names = (lines: string[]) => lines.map((line) => line.split(':')[0])
    const withoutPolicy = await securityTxt(t, {})
    assert.deepEqual(names(withoutPolicy), ['Contact', 'Contact', 'Expires', 'Preferred-Languages', 'Canonical', ''])
    const files = { 'pages/security.md': markdown({ title: 'Security' }) }
    const inPlainHttp = await securityTxt(t, files, { BASE_URL: 'http://localhost:3000' })
    assert.deepEqual(names(inPlainHttp), ['Contact', 'Contact', 'Expires', 'Preferred-Languages', ''])
    const ofNoLanguage = await securityTxt(t, {
      'site.yaml': 'title: Ada\nlanguage: "en\\nContact: mailto:evil@example.com"\n',
    })
    assert.deepEqual(ofNoLanguage.slice(3), withoutPolicy.slice(3))
  })

  it('is the same whatever the Host header', async (t) => {
    const site = await startSite({}, CONTACT)
    cleanUp(t, () => site.close())
    const { body } = await fetchPlain(site, PATH, { host: 'evil.example', 'x-forwarded-host': 'evil.example' })
    assert.match(body.toString(), /^Canonical: https:\/\/site\.example\//m)
    assert.doesNotMatch(body.toString(), /evil/)
  })

  it('does not exist without a contact', async (t) => {
    const site = await startSite({})
    cleanUp(t, () => site.close())
    assert.equal((await get(site, PATH)).status, 404)
  })
})
