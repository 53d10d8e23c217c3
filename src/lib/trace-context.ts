import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/** The trace that a request belongs to (W3C Trace Context Level 2, https://www.w3.org/TR/trace-context-2/). */
export interface Trace {
  traceId: string
  /** The span of the caller: `parent-id` of the header. */
  spanId: string
  /** Whether the caller has sampled the trace, and whether its id is random: two hexadecimal digits. */
  flags: string
  /** The header `tracestate`, if it is valid. */
  state: string | undefined
}

const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/
// The flags `sampled` and `random`. The others of version 00 are reserved and must be sent as zero.
const KNOWN_FLAGS = 0b11

/** Parses the header `traceparent` of version 00. Undefined if it is malformed, or if one of the ids is zero. */
export function parseTrace(traceparent: string, tracestate: string | undefined): Trace | undefined {
  const [, traceId, spanId, sentFlags] = TRACEPARENT.exec(traceparent) ?? []
  if (!traceId || !spanId || !sentFlags || isZero(traceId) || isZero(spanId)) return undefined
  const flags = Number.parseInt(sentFlags, 16) & KNOWN_FLAGS
  return { traceId, spanId, flags: `0${flags}`, state: validState(tracestate) }
}

function isZero(id: string): boolean {
  return /^0+$/.test(id)
}

const MAX_STATE_CHARACTERS = 512
const MAX_STATE_MEMBERS = 32
// A key and a value, as section 3.3.1.3 of the recommendation defines them.
const STATE_MEMBER =
  /^(?:[a-z][a-z\d_*/-]{0,255}|[a-z\d][a-z\d_*/-]{0,240}@[a-z][a-z\d_*/-]{0,13})=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/

/** The header `tracestate` as it was sent. Undefined if it is absent, too long or malformed. */
function validState(tracestate: string | undefined): string | undefined {
  if (!tracestate || tracestate.length > MAX_STATE_CHARACTERS) return undefined
  const members = tracestate
    .split(',')
    .map((member) => member.trim())
    .filter(Boolean)
  if (members.length === 0 || members.length > MAX_STATE_MEMBERS) return undefined
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf('='))))
  const isValid = keys.size === members.length && members.every((member) => STATE_MEMBER.test(member))
  return isValid ? members.join(',') : undefined
}

const current = new AsyncLocalStorage<Trace>()

/** Runs the work of a request that belongs to a trace. `traceHeaders` returns the headers of the trace inside of it. */
export function inTrace<T>(trace: Trace, work: () => T): T {
  return current.run(trace, work)
}

/** The headers that pass the trace of the current request on to another service, with a new span. Empty without one. */
export function traceHeaders(): Record<string, string> {
  const trace = current.getStore()
  if (!trace) return {}
  const { traceId, flags, state } = trace
  const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}`
  return state === undefined ? { traceparent } : { traceparent, tracestate: state }
}
