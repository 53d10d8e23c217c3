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
// Endings of lines of responses under 10 ms are memoized.
const MEMOIZED_TENTHS_OF_MS = 100

/**
 * Formats the log line of a request as pino does at level info. It does not call pino, because every request has such a
 * line and pino costs more CPU time. Each text that a client can choose is escaped, so that the line is valid JSON
 * without line breaks for any input. Both numbers must be finite.
 *
 * A line is the concatenation of few strings, because V8 keeps each concatenation as an object until the line is
 * encoded. So the parts that lines have in common are memoized as flat strings.
 */
export function createRequestLine(worker?: number): (request: LoggedRequest, time: number) => string {
  const base = worker === undefined ? '' : `,"worker":${worker}`
  let lastTime = Number.NaN
  let start = ''
  const partsOfClient = boundedMemo((ip) =>
    boundedMemo((method) => flatString(`","ip":"${escaped(ip)}","method":"${method}","path":"`)),
  )
  const ends = new Map<number, string>()
  return ({ requestId, traceId, spanId, ip, method, path, status, milliseconds }, time) => {
    if (time !== lastTime) {
      lastTime = time
      start = flatString(`{"level":"info","time":"${isoTime(time)}"${base},"requestId":"`)
    }
    const id = traceId ? `${requestId}","traceId":"${escaped(traceId)}","spanId":"${escaped(spanId)}` : requestId
    return start + id + partsOfClient(ip)(method) + escaped(path) + endOf(status, milliseconds)
  }

  function endOf(status: number, milliseconds: number): string {
    const tenths = Math.round(milliseconds * 10)
    const key = status * MEMOIZED_TENTHS_OF_MS + tenths
    const memoized = tenths < MEMOIZED_TENTHS_OF_MS ? ends.get(key) : undefined
    if (memoized) return memoized
    const end = flatString(`","status":${status},"milliseconds":${tenths / 10},"message":"request"}\n`)
    if (tenths < MEMOIZED_TENTHS_OF_MS) ends.set(key, end)
    return end
  }
}

/** The content of a JSON string. */
function escaped(text = ''): string {
  return PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1)
}
