import { boundedMemo } from '../lib/bounded-memo.ts'
import { isoTime } from '../lib/dates.ts'
import { flatString } from '../lib/flat-string.ts'

/** The fields of a request's log line. */
export interface LoggedRequest {
  /** A UUID of the server. */
  requestId: string
  /** The trace of the request, and the span of its caller; undefined without a trace. */
  traceId?: string | undefined
  spanId?: string | undefined
  ip: string
  /** One of the methods that Node's parser knows. */
  method: string
  path: string
  status: number
  /** Logged with one decimal. */
  milliseconds: number
}

// No character that JSON escapes (RFC 8259, section 7), and none beyond ASCII.
const PLAIN = /^[\w ./:~-]*$/
// Line endings of responses under 10 ms are memoized.
const MEMOIZED_TENTHS_OF_MS = 100

/**
 * Formats the log line of a request as pino does at level info. It does not call pino, because every request has such a
 * line and pino costs more CPU time. Each text that a client can choose is quoted, so that the line is valid JSON
 * without line breaks for any input. Both numbers must be finite.
 *
 * The parts that lines have in common are memoized as flat strings: concatenating every field was about 1 % of the CPU
 * time of sending a page.
 */
export function createRequestLine(worker?: number): (request: LoggedRequest, time: number) => string {
  const base = worker === undefined ? '' : `,"worker":${worker}`
  let lastTime = Number.NaN
  let start = ''
  const clientPart = boundedMemo((ip) => flatString(`,"ip":${quoted(ip)},"method":"`))
  const ends = new Map<number, string>()
  return ({ requestId, traceId, spanId, ip, method, path, status, milliseconds }, time) => {
    if (time !== lastTime) {
      lastTime = time
      start = flatString(`{"level":"info","time":"${isoTime(time)}"${base},"requestId":"`)
    }
    const trace = traceId ? `","traceId":${quoted(traceId)},"spanId":${quoted(spanId)}` : '"'
    return `${start}${requestId}${trace}${clientPart(ip)}${method}","path":${quoted(path)}${endOf(status, milliseconds)}`
  }

  function endOf(status: number, milliseconds: number): string {
    const tenths = Math.round(milliseconds * 10)
    const key = status * MEMOIZED_TENTHS_OF_MS + tenths
    const memoized = tenths < MEMOIZED_TENTHS_OF_MS ? ends.get(key) : undefined
    if (memoized) return memoized
    const end = flatString(`,"status":${status},"milliseconds":${tenths / 10},"message":"request"}\n`)
    if (tenths < MEMOIZED_TENTHS_OF_MS) ends.set(key, end)
    return end
  }
}

function quoted(text = ''): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}
