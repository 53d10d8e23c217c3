import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { failure } from './envelope.ts'
import { bodyTooLarge, internalError, invalid, methodNotAllowed, notFound, Refusal, unavailable } from './refusal.ts'

/** Where every failure becomes an answer, and the only place that logs one. */
export function answerFailures(
  app: FastifyInstance,
  isUnavailable: (error: unknown) => boolean,
  /** Answers for addresses that are none of the API's; undefined where it is one. */
  notFoundElsewhere: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined,
): void {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set()
    for (const name of [method].flat()) known.add(name)
    methods.set(url, known)
  })

  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    // The framework looks at the content of a QUERY before it looks for a route.
    const isRouteless = 'code' in error && error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
    if (isRouteless) return refuse(request, reply, noRoute(request))
    const refusal = error instanceof Refusal ? error : translate(error, isUnavailable)
    if (refusal.status >= 500) request.log.error({ err: refusal.cause ?? error }, refusal.message)
    return refuse(request, reply, refusal)
  })

  app.setNotFoundHandler((request, reply) => {
    const isRoute = methods.has(pathOf(request))
    return (isRoute ? undefined : notFoundElsewhere(request, reply)) ?? refuse(request, reply, noRoute(request))
  })

  function noRoute({ url }: FastifyRequest): Refusal {
    const allowed = methods.get(pathOf({ url }))
    return allowed
      ? new Refusal(methodNotAllowed, { headers: { Allow: [...allowed].join(', ') } })
      : new Refusal(notFound)
  }
}

function pathOf({ url }: { url: string }): string {
  return url.split('?')[0] ?? ''
}

/** For an address that cannot even be decoded, which the framework refuses before it looks for a route. */
export function answerBadUrl(request: FastifyRequest, reply: FastifyReply): void {
  refuse(request, reply, new Refusal(notFound))
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
    default:
      return new Refusal(internalError, { cause: error })
  }
}
