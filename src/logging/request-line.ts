import { isoTime } from '../lib/dates.ts'

/** An answered request, as the log tells it. */
export interface LoggedRequest {
  requestId: string
  ip: string
  method: string
  path: string
  status: number
  milliseconds: number
}

/**
 * Makes the log line of a request. The line is what pino writes for these fields at level info, and is made without pino
 * because every request has one. Each text goes through JSON.stringify, so the line is one line of valid JSON whatever a client
 * sent. Both numbers are finite.
 */
export function createRequestLine(worker?: number): (request: LoggedRequest) => string {
  const base = worker === undefined ? '' : `,"worker":${worker}`
  let lastTime = Number.NaN
  let start = ''
  return ({ requestId, ip, method, path, status, milliseconds }) => {
    const time = Date.now()
    if (time !== lastTime) {
      lastTime = time
      start = `{"level":30,"time":"${isoTime(time)}"${base}`
    }
    const client = `"ip":${JSON.stringify(ip)},"method":${JSON.stringify(method)},"path":${JSON.stringify(path)}`
    return `${start},"requestId":${JSON.stringify(requestId)},${client},"status":${status},"milliseconds":${milliseconds},"message":"request"}\n`
  }
}
