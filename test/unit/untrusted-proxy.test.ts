import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Reply } from '../../src/http/reply.ts'
import type { Request } from '../../src/http/request.ts'
import type { Hook } from '../../src/http/routes.ts'
import type { HttpServer } from '../../src/http/server.ts'
import { warnAboutUntrustedProxy } from '../../src/http/untrusted-proxy.ts'
import type { Log } from '../../src/logging/log.ts'
import { get } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startLoggedService } from '../support/service.ts'

/** The log lines of requests from these peers, in turn. */
function logLinesOf(trustedProxies: string[], peers: string[], headers: Record<string, string>): string[] {
  const lines: string[] = []
  const hooks: Hook[] = []
  const app = { addHook: (hook: Hook) => hooks.push(hook) } as unknown as HttpServer
  warnAboutUntrustedProxy(app, trustedProxies, { warn: (text: string) => lines.push(text) } as unknown as Log)
  for (const remoteAddress of peers) {
    for (const hook of hooks) hook({ headers, raw: { socket: { remoteAddress } } } as unknown as Request, {} as Reply)
  }
  return lines
}

const FORWARDED = { 'x-forwarded-for': '203.0.113.7' }

describe('a peer that forwards without being trusted', () => {
  it('is logged once with the setting, when it is in a private network', () => {
    for (const peer of ['127.0.0.1', '10.0.0.2', '172.31.0.2', '192.168.0.2', '100.64.0.2', '::1', 'fd00::2']) {
      const lines = logLinesOf(['192.0.2.1'], [peer, peer, '10.9.9.9'], FORWARDED)
      assert.equal(lines.length, 1)
      assert.ok(lines[0]?.startsWith(`${peer} sends X-Forwarded-For and is not in TRUSTED_PROXIES`))
      assert.ok(lines[0]?.endsWith(`set TRUSTED_PROXIES=${peer}`))
    }
    assert.match(logLinesOf([], ['::ffff:10.0.0.2'], FORWARDED).join(), /set TRUSTED_PROXIES=10\.0\.0\.2$/)
  })

  it('is logged also when other peers came before it', () => {
    assert.equal(logLinesOf(['10.0.0.1'], ['203.0.113.9', '10.0.0.1', '10.0.0.2'], FORWARDED).length, 1)
  })

  it('is not a trusted one, a public one, or one without the header', () => {
    assert.deepEqual(logLinesOf(['10.0.0.0/8', 'fd00::/8'], ['10.0.0.2', 'fd00::2'], FORWARDED), [])
    assert.deepEqual(logLinesOf([], ['203.0.113.9', '172.32.0.1', '100.128.0.1', '2001:db8::1'], FORWARDED), [])
    assert.deepEqual(logLinesOf([], ['10.0.0.2'], {}), [])
  })

  for (const [mode, times] of [
    ['production', 1],
    ['development', 0],
  ] as const) {
    it(`is logged ${times} times by a service in ${mode}`, async (t) => {
      const settings = { NODE_ENV: mode, BASE_URL: 'https://portico.example', SMTP_URL: 'smtp://127.0.0.1:9' }
      const service = await startLoggedService('sqlite', settings)
      cleanUp(t, service.close)
      for (let round = 0; round < 3; round++) await get(service, '/healthz', { headers: FORWARDED })
      const lines = service.lines.filter(({ message }) => String(message).includes('TRUSTED_PROXIES=127.0.0.1'))
      assert.equal(lines.length, times)
    })
  }
})
