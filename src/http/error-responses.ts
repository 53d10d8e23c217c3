import type { Log } from '../logging/log.ts'
import { failure } from './envelope.ts'
import { internalError, Refusal, unavailable } from './refusal.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

/** Sends a refusal as a page. Undefined for a refusal that is sent in the envelope. */
export type ErrorRenderer = (request: Request, reply: Reply, refusal: Refusal) => Promise<Reply> | undefined

/** Returns the error handler of the server. It maps every error to a response and logs its cause. */
export function createErrorHandler(log: Log, isUnavailable: (error: unknown) => boolean, renderPage: ErrorRenderer) {
  return (error: unknown, request: Request, reply: Reply): unknown => {
    const refusal = error instanceof Refusal ? error : refusalOf(error)
    const { status, cause, message } = refusal
    if (status >= 500) log.error({ ...request.logFields, err: cause ?? error }, message)
    // The cause of a refusal below 500, such as an error of a sign-in provider, is logged for the operator.
    else if (cause) log.warn({ ...request.logFields, err: cause }, message)
    return renderPage(request, reply, refusal) ?? sendRefusal(request, reply, refusal)
  }

  /** An error that is not a refusal becomes 503 if the database is unavailable, and 500 otherwise. */
  function refusalOf(cause: unknown): Refusal {
    if (!isUnavailable(cause)) return new Refusal(internalError, { cause })
    return new Refusal(unavailable, { headers: { 'retry-after': '1' }, cause })
  }
}

function sendRefusal(request: Request, reply: Reply, { kind, status, headers, errors, data }: Refusal): Reply {
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type('application/json; charset=utf-8')
    .send(failure(request.id, kind, errors, data))
}
