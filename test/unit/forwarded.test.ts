import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isFromThisMachine } from '../../src/http/forwarded.ts'
import type { Request } from '../../src/http/request.ts'

const from = (remoteAddress: string | undefined) =>
  isFromThisMachine({
    headers: { host: 'localhost' },
    raw: { socket: { remoteAddress }, httpVersion: '1.1', url: '/dev/mailbox' },
  } as unknown as Request)

describe('a request of this machine', () => {
  it('has a loopback address as its peer, in any notation', () => {
    for (const peer of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'])
      assert.ok(from(peer), peer)
  })

  it('has no other address as its peer, and not an unknown one', () => {
    for (const peer of [
      '10.0.0.1',
      '172.17.0.1',
      '203.0.113.7',
      '::',
      '::ffff:10.0.0.1',
      'fe80::1%lo',
      '0.0.0.0',
      '',
      undefined,
    ]) {
      assert.ok(!from(peer), `${peer}`)
    }
  })
})
