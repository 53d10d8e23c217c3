import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, fieldsOf, get } from '../support/api.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { start } from '../support/sign-in-steps.ts'

/** URLs that could lead a browser to another site, as its address bar would parse them. */
const ELSEWHERE = [
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '\t//evil.example',
  '/path\r\nSet-Cookie: a=b',
  '/path\0',
  ' //evil.example',
  ' /path',
  '/..//evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e%2e//evil.example',
  'https:evil.example',
  'https:/evil.example',
  'https://evil.example',
  'HTTPS://evil.example',
  'http:\\\\evil.example',
  'http://localhost:3000@evil.example',
  'localhost:3000@evil.example',
  '@evil.example',
  'good@evil.example',
  'evil.example',
  'path',
  '?query',
  '#part',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'data:text/html,evil',
  '/back\\slash',
  `/${'long'.repeat(512)}`,
  '',
]

describe('the return path of a sign-in', () => {
  withProviders((service) => {
    for (const name of PROVIDER_NAMES) {
      it(`never leads to another site after a sign-in with the ${name}`, async () => {
        for (const redirectTo of ELSEWHERE) {
          const response = await start(service, { name }, { redirectTo })
          assertRefused(response, 400, 'Validation failed')
          assert.ok('redirect_to' in fieldsOf(response), redirectTo)
          assert.deepEqual(response.headers.getSetCookie(), [])
          assert.equal(response.headers.get('location'), null)
        }
        for (const query of [
          'redirect_to=/%09/evil.example',
          'redirect_to=/%5Cevil.example',
          'redirect_to=/&redirect_to=/',
        ]) {
          assertRefused(await get(service, `/api/oauth/${name}/start?${query}`), 400, 'Validation failed')
        }
      })
    }
  })
})
