import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { inTrace, parseTrace, type Trace, traceHeaders } from '../../src/lib/trace-context.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN_ID = '00f067aa0ba902b7'
const HEADER = `00-${TRACE_ID}-${SPAN_ID}-01`

const stateOf = (tracestate: string) => parseTrace(HEADER, tracestate)?.state

describe('the header traceparent', () => {
  it('names the trace and the span of the caller', () => {
    const expected: Trace = { traceId: TRACE_ID, spanId: SPAN_ID, flags: '01', state: undefined }
    assert.deepEqual(parseTrace(HEADER, undefined), expected)
  })

  it('is read in its exact form only', () => {
    const broken = [
      '',
      HEADER.toUpperCase(),
      ` ${HEADER}`,
      `${HEADER} `,
      `${HEADER}\n`,
      `${HEADER}, ${HEADER}`,
      `${HEADER}-00`,
      HEADER.slice(0, -1),
      HEADER.replace('00-', '01-'),
      HEADER.replace('00-', 'ff-'),
      HEADER.replace('4bf9', '4bg9'),
      `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
      `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
      `00-${TRACE_ID}-${SPAN_ID}-0x`,
      'x'.repeat(30_000),
    ]
    for (const header of broken) assert.equal(parseTrace(header, undefined), undefined, header)
  })

  it('passes on the flags that version 00 knows', () => {
    const flagsOf = (flags: string) => parseTrace(`00-${TRACE_ID}-${SPAN_ID}-${flags}`, undefined)?.flags
    assert.deepEqual(['00', '01', '02', '03', 'ff', '80'].map(flagsOf), ['00', '01', '02', '03', '03', '00'])
  })
})

describe('the header tracestate', () => {
  it('is kept when each member has a key and a value', () => {
    assert.equal(stateOf('vendor=t61rcWkgMzE'), 'vendor=t61rcWkgMzE')
    assert.equal(stateOf('a=1, tenant@b=2 ,, c/_*-=x y'), 'a=1,tenant@b=2,c/_*-=x y')
    assert.equal(stateOf(`a=${'x'.repeat(256)}`), `a=${'x'.repeat(256)}`)
  })

  it('is dropped when it is malformed or too long, and the trace is kept', () => {
    const many = Array.from({ length: 33 }, (_, number) => `k${number}=1`).join()
    const long = Array.from({ length: 3 }, (_, number) => `k${number}=${'x'.repeat(200)}`).join()
    const broken = [
      '',
      ',',
      'a',
      'a=',
      '=1',
      'A=1',
      'a=1=2',
      'a=é',
      'a=1\t2',
      'a=1,a=2',
      `a=${'x'.repeat(257)}`,
      many,
      long,
    ]
    for (const state of broken) {
      assert.equal(stateOf(state), undefined, state)
      assert.equal(parseTrace(HEADER, state)?.traceId, TRACE_ID)
    }
  })
})

describe('the headers for other services', () => {
  it('are empty outside of a trace', () => {
    assert.deepEqual(traceHeaders(), {})
  })

  it('have the trace with a new span each time, also after a wait', async () => {
    const trace = parseTrace(HEADER, 'a=1') as Trace
    await inTrace(trace, async () => {
      const first = traceHeaders()
      await setImmediate()
      const second = traceHeaders()
      for (const { traceparent, tracestate } of [first, second]) {
        assert.match(traceparent ?? '', new RegExp(`^00-${TRACE_ID}-[\\da-f]{16}-01$`))
        assert.equal(tracestate, 'a=1')
      }
      assert.equal(new Set([first.traceparent, second.traceparent, HEADER]).size, 3)
    })
    assert.deepEqual(traceHeaders(), {})
  })
})
