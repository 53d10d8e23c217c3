import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PageVisitor } from '../support/page-visitor.ts'
import { onBothEngines } from '../support/service.ts'

const PATHS = ['/verify-email', '/reset-password']
const LINK = /<a href="(\/dev\/mailbox[^"]*)">development mailbox<\/a>/

describe('the pages that wait for a code', () => {
  onBothEngines((service) => {
    for (const path of PATHS) {
      it(`link to the development mailbox: ${path}`, async () => {
        const visitor = new PageVisitor(service)
        const linkOn = async (query: string) => LINK.exec((await visitor.get(path + query)).body)?.[1]
        assert.equal(await linkOn(''), '/dev/mailbox')
        const address = await linkOn('?email=ada%40example.com')
        assert.equal(address, '/dev/mailbox?to=ada%40example.com')
        assert.equal((await visitor.get(address ?? '')).status, 200)
        assert.equal(await linkOn('?email="><script>&to=x'), '/dev/mailbox?to=%22%3E%3Cscript%3E')
      })

      it(`do not mention it to requests from other machines, for which it does not exist: ${path}`, async () => {
        const { body, status } = await new PageVisitor(service).get(path, { 'x-forwarded-for': '203.0.113.7' })
        assert.equal(status, 200)
        assert.ok(!body.includes('/dev/'))
      })
    }
  })
})

const WITHOUT_MAILBOX: [string, Record<string, string>][] = [
  ['in production', { NODE_ENV: 'production', BASE_URL: 'https://site.example', SMTP_URL: 'smtp://127.0.0.1:9' }],
  ['when mail goes by SMTP', { SMTP_URL: 'smtp://127.0.0.1:9' }],
]
for (const [when, settings] of WITHOUT_MAILBOX) {
  describe(`the pages that wait for a code, ${when}`, () => {
    onBothEngines((service) => {
      it('do not mention a mailbox', async () => {
        for (const path of PATHS) {
          const { body, status } = await new PageVisitor(service).get(path)
          assert.equal(status, 200)
          assert.ok(!body.includes('/dev/'))
        }
      })
    }, settings)
  })
}
