import { boundedMemo } from '../lib/bounded-memo.ts'
import { isoTime } from '../lib/dates.ts'

/** The fields of a request's log line. */
export interface LoggedRequest {
  requestId: string
  /** The trace of the request, and the span of its caller; undefined without a trace. */
  traceId?: string | undefined
  spanId?: string | undefined
  ip: string
  method: string
  path: string
  status: number
  milliseconds: number
}

/**
 * Formats the log line of a request as pino does at level info. It does not call pino, because every request has such a
 * line and pino costs more CPU time. Each text is escaped by JSON.stringify, so that the line is valid JSON without
 * line breaks for any input of a client. Both numbers must be finite.
 */
export function createRequestLine(worker?: number): (request: LoggedRequest) => string {
  const base = worker === undefined ? '' : `,"worker":${worker}`
  // A connection sends the same ones again and again.
  const quoted = boundedMemo((text) => JSON.stringify(text))
  let lastTime = Number.NaN
  let prefix = ''
  return ({ requestId, traceId, spanId, ip, method, path, status, milliseconds }) => {
    const time = Date.now()
    if (time !== lastTime) {
      lastTime = time
      prefix = `{"level":"info","time":"${isoTime(time)}"${base}`
    }
    const trace = traceId && `,"traceId":${JSON.stringify(traceId)},"spanId":${JSON.stringify(spanId)}`
    const client = `"ip":${quoted(ip)},"method":${quoted(method)},"path":${JSON.stringify(path)}`
    return `${prefix},"requestId":${JSON.stringify(requestId)}${trace ?? ''},${client},"status":${status},"milliseconds":${milliseconds},"message":"request"}\n`
  }
}
