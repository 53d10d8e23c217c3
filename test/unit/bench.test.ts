import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { tokensIn, withTokens } from '../../bench/load/refresh-tokens.ts'
import { ratio } from '../../bench/measure/figures.ts'
import { output } from '../../bench/measure/output.ts'
import { judge } from '../../bench/measure/rows.ts'
import { startProgram } from '../../bench/measure/server.ts'
import { peerTableOf } from '../../bench/measure/table.ts'
import { beside } from '../../bench/peers/beside.ts'
import { PEERS } from '../../bench/peers/peers.ts'
import { temporaryFolder } from '../support/clean-up.ts'
import { freePort } from '../support/local-servers.ts'

const NODE = process.execPath
const HANGS = 'setInterval(() => {}, 1000)'

describe('the benchmark', () => {
  it('carries the tokens of a response into the next request', () => {
    const ways = { sessionId: 'data.session.sessionId', refreshToken: 'data.refreshToken' }
    const request = { path: '/', headers: { 'x-session-id': '<sessionId>' }, body: '{"refreshToken":"<refreshToken>"}' }
    const first = tokensIn('{"data":{"session":{"sessionId":"s"},"refreshToken":"one"}}', ways)
    const tokens = { ...first, ...tokensIn('{"data":{"refreshToken":"two"}}', ways) }
    const expected = { path: '/', headers: { 'x-session-id': 's' }, body: '{"refreshToken":"two"}' }
    assert.deepEqual(withTokens(request, tokens), expected)
  })

  it('states the range of a ratio, and marks a bar within it', () => {
    const figures = (rates: number[]) => rates.map((rate) => ({ rate, p99: 1 }))
    const ones = (length: number) => figures(Array(length).fill(1))
    const upTo = (length: number) => figures(Array.from({ length }, (_, index) => index + 1))
    // Fewer than 4 of 15 values are below the median, and fewer than 4 above it, with a probability of 96.5 %.
    assert.deepEqual(ratio(upTo(15), ones(15)), { median: 8, low: 4, high: 12 })
    assert.deepEqual(ratio(upTo(5), ones(5)), { median: 3, low: 1, high: 5 })
    assert.deepEqual(ratio(upTo(1), ones(1)), { median: 1, low: 1, high: 1 })
    const judged = (bar: number) => judge({ median: 8, low: 4, high: 12 }, (value) => value >= bar)
    assert.deepEqual([4, 8, 9, 13].map(judged), ['pass', 'pass ~', 'FAIL ~', 'FAIL'])
  })

  it('kills a program that exceeds its time limit, and names it', async () => {
    await assert.rejects(output(NODE, ['-e', HANGS], { limitMs: 200 }), /node -e was killed.*limit of 200 ms/)
  })

  it('ends a server that never listens or exits early, and reports its output', async (t) => {
    const log = join(await temporaryFolder(t), 'server.log')
    const start = async (code: string, startLimitMs: number) =>
      startProgram([NODE, '-e', code], await freePort(), {}, { log, startLimitMs })
    await assert.rejects(start(`console.log(process.pid); ${HANGS}`, 5000), /node: nobody listens.*\d+/)
    await assert.rejects(start('throw new Error("no database")', 60_000), /node: ended before it served.*no database/s)
  })

  it('reports a peer that is not available, and continues', async () => {
    const [peer] = PEERS
    assert.ok(peer)
    const missing = { ...peer, obtain: () => output('no-such-program', []) }
    const progress = { current: '', step() {}, now() {}, found() {}, done() {} }
    const rows = []
    // Only the progress is used before the program is available.
    for await (const row of beside(missing as typeof peer)({ progress } as never)) rows.push(row)
    assert.match(peerTableOf(rows), /PocketBase cannot be had here: .*no-such-program/)
  })
})
