import { isoTime } from '../lib/dates.ts'

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
  milliseconds: number
}

// No character that JSON escapes (RFC 8259, section 7), and none beyond ASCII.
const PLAIN = /^[\w ./:~-]*$/

/**
 * Formats the log line of a request as pino does at level info. It does not call pino, because every request has such a
 * line and pino costs more CPU time. Each text that a client can choose is quoted, so that the line is valid JSON
 * without line breaks for any input. Both numbers must be finite.
 */
export function createRequestLine(worker?: number): (request: LoggedRequest, time: number) => string {
  const base = worker === undefined ? '' : `,"worker":${worker}`
  let lastTime = Number.NaN
  let prefix = ''
  return ({ requestId, traceId, spanId, ip, method, path, status, milliseconds }, time) => {
    if (time !== lastTime) {
      lastTime = time
      prefix = `{"level":"info","time":"${isoTime(time)}"${base},"requestId":"`
    }
    const trace = traceId ? `,"traceId":${quoted(traceId)},"spanId":${quoted(spanId)}` : ''
    return `${prefix}${requestId}"${trace},"ip":${quoted(ip)},"method":"${method}","path":${quoted(path)},"status":${status},"milliseconds":${milliseconds},"message":"request"}\n`
  }
}

function quoted(text = ''): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}
