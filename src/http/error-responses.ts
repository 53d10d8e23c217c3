import type { Log } from '../logging/log.ts'
import { failure } from './envelope.ts'
import { internalError, Refusal, unavailable } from './refusal.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

/** How the rest of the site says no; undefined where the API itself is asked. */
export type ErrorRenderer = (request: Request, reply: Reply, refusal: Refusal) => Promise<Reply> | undefined

/** Where every failure becomes an answer, and the only place that logs one. */
export function createErrorHandler(log: Log, isUnavailable: (error: unknown) => boolean, renderPage: ErrorRenderer) {
  return (error: unknown, request: Request, reply: Reply): unknown => {
    const refusal = error instanceof Refusal ? error : translate(error)
    const { status, cause, message } = refusal
    if (status >= 500) log.error({ requestId: request.id, err: cause ?? error }, message)
    // What the caller cannot mend, somebody else should read of.
    else if (cause) log.warn({ requestId: request.id, err: cause }, message)
    return renderPage(request, reply, refusal) ?? sendRefusal(request, reply, refusal)
  }

  /** What is no refusal is a fault of ours, or of the database. */
  function translate(cause: unknown): Refusal {
    if (!isUnavailable(cause)) return new Refusal(internalError, { cause })
    return new Refusal(unavailable, { headers: { 'retry-after': '1' }, cause })
  }
}

function sendRefusal(request: Request, reply: Reply, { status, headers, message, errors }: Refusal): Reply {
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type('application/json; charset=utf-8')
    .send(failure(request.id, message, errors))
}
