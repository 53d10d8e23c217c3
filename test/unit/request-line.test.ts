import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog } from '../../src/logging/log.ts'
import type { LoggedRequest } from '../../src/logging/request-line.ts'
import { logTo } from '../support/service.ts'

const FORGED = '{"level":"error","message":"forged"}'
const PIECES = ['"', '\\', '\n', '\r\n', '\0', '\u001b[2J', '\u007f', '\u0085', '\u2028', '\ud800', '\udfff', '💙', 'é']
const PLAIN: LoggedRequest = {
  requestId: '00f5f1c2-5f0e-4c9a-8a64-4f5d1f3b2a10',
  ip: '2001:db8::7',
  method: 'GET',
  path: '/blog/hello',
  status: 200,
  milliseconds: 1.5,
}

/** Requests in which every text of a client has characters that JSON must escape: each alone, and random mixtures of them. */
function* requests(): Generator<LoggedRequest> {
  yield PLAIN
  const { requestId, ...rest } = PLAIN
  yield { requestId, traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', ...rest }
  for (const piece of [...PIECES, FORGED]) yield withTexts(() => `/${piece}x`)
  // mulberry32 with a fixed seed: a failure can be repeated.
  let seed = 17
  const random = (below: number) => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
  const character = () =>
    random(3) === 0 ? (PIECES[random(PIECES.length)] ?? '') : String.fromCharCode(random(random(2) ? 0x100 : 0x10000))
  for (let round = 0; round < 3_000; round++) {
    const text = () => Array.from({ length: random(130) }, character).join('')
    yield { ...withTexts(text), status: 100 + random(500), milliseconds: random(100_000) / 10 }
  }
}

function withTexts(text: () => string): LoggedRequest {
  const { requestId, ...rest } = PLAIN
  return { requestId, traceId: `x${text()}`, spanId: text(), ...rest, ip: text(), path: text() }
}

for (const worker of [undefined, 3]) {
  describe(`the log line of a request, ${worker === undefined ? 'from a single process' : 'from a worker'},`, () => {
    it('is one line of JSON with the fields that pino writes, in the same order, whatever a client sent', (t) => {
      t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 16, 23, 59, 59, 7) })
      const lines: string[] = []
      const ofPino: string[] = []
      const log = logTo((line) => lines.push(line), { worker })
      const pino = logTo((line) => ofPino.push(line), { worker })
      const all = [...requests()]
      for (const request of all) {
        log.request?.(request)
        pino.info(request, 'request')
        t.mock.timers.tick(request.status % 3)
      }
      assert.equal(lines.length, all.length)
      for (const [number, line] of lines.entries()) {
        assert.equal(line, ofPino[number])
        assert.match(line, /^[^\n]+\n$/)
        const { level, time, worker: from, message, ...request } = JSON.parse(line)
        assert.deepEqual([level, from, message], ['info', worker, 'request'])
        assert.equal(new Date(time).toISOString(), time)
        assert.deepEqual(request, all[number])
      }
    })
  })
}

describe('the log of requests', () => {
  it('is absent at the levels above info', () => {
    const has = (logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent') =>
      createLog({ logFormat: 'json', logLevel }).request !== undefined
    assert.deepEqual(
      [has('debug'), has('info'), has('warn'), has('error'), has('silent')],
      [true, true, false, false, false],
    )
  })
})
