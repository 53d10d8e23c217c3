import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { failure } from './envelope.ts'
import {
  bodyTooLarge,
  headersTooLarge,
  internalError,
  invalid,
  methodNotAllowed,
  notFound,
  Refusal,
  unavailable,
  validationFailed,
} from './refusal.ts'

/** Where every failure becomes an answer, and the only place that logs one. */
export function answerFailures(app: FastifyInstance, isUnavailable: (error: unknown) => boolean): void {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set()
    for (const name of [method].flat()) known.add(name)
    methods.set(url, known)
  })

  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    const refusal = error instanceof Refusal ? error : translate(error, isUnavailable)
    if (refusal.status >= 500) request.log.error({ err: refusal.cause ?? error }, refusal.message)
    return refuse(request, reply, refusal)
  })

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const allowed = methods.get(path)
    return refuse(
      request,
      reply,
      allowed ? new Refusal(methodNotAllowed, { headers: { Allow: [...allowed].join(', ') } }) : new Refusal(notFound),
    )
  })
}

function refuse(request: FastifyRequest, reply: FastifyReply, refusal: Refusal) {
  return reply
    .code(refusal.status)
    .headers({ 'Cache-Control': 'no-store', ...refusal.headers })
    .type('application/json; charset=utf-8')
    .send(failure(request.id, refusal.message, refusal.errors))
}

/** Names the framework's own refusals in our words. What is left is a fault of ours. */
function translate(error: FastifyError, isUnavailable: (error: unknown) => boolean): Refusal {
  if (isUnavailable(error)) return new Refusal(unavailable, { headers: { 'Retry-After': '1' }, cause: error })
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(bodyTooLarge)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return invalid('body', 'The request body must be sent as application/json')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalid('body', 'The request body is not as long as it was said to be')
    case 'FST_ERR_BAD_URL':
      return new Refusal(notFound)
    default:
      return new Refusal(internalError, { cause: error })
  }
}

/** What is not even HTTP never reaches a route; it still gets the envelope. */
export function answerBadHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const kind =
    error.code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge : { ...validationFailed, message: 'Malformed HTTP request' }
  const requestId = randomUUID()
  const body = JSON.stringify(failure(requestId, kind.message))
  socket.end(
    `HTTP/1.1 ${kind.status} ${STATUS_CODES[kind.status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  )
}
