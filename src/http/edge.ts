import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { failure } from './envelope.ts'
import { bodyTooLarge, internalError, invalid, methodNotAllowed, notFound, Refusal, unavailable } from './refusal.ts'

/** How the rest of the site says no; undefined where the API itself is asked. */
export interface Elsewhere {
  notFound(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined
  refused(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): Promise<FastifyReply> | undefined
}

/** Where every failure becomes an answer, and the only place that logs one. */
export function answerFailures(
  app: FastifyInstance,
  log: FastifyBaseLogger,
  isUnavailable: (error: unknown) => boolean,
  site: Elsewhere,
): void {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    // Of an address that varies, any spelling without a method for it is simply not there.
    if (url.includes(':')) return
    const known = methods.get(url) ?? new Set()
    for (const name of [method].flat()) known.add(name)
    methods.set(url, known)
  })

  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    // The framework looks at the content of a QUERY before it looks for a route.
    const isRouteless = 'code' in error && error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
    if (isRouteless) return refuse(request, reply, noRoute(request))
    const refusal = error instanceof Refusal ? error : translate(error, request, isUnavailable)
    const { cause, message } = refusal
    if (refusal.status >= 500) log.error({ requestId: request.id, err: cause ?? error }, message)
    // What the caller cannot mend, somebody else should read of.
    else if (cause) log.warn({ requestId: request.id, err: cause }, message)
    return site.refused(request, reply, refusal) ?? refuse(request, reply, refusal)
  })

  app.setNotFoundHandler((request, reply) => {
    const isRoute = methods.has(pathOf(request))
    return (isRoute ? undefined : site.notFound(request, reply)) ?? refuse(request, reply, noRoute(request))
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
function translate(error: FastifyError, request: FastifyRequest, isUnavailable: (error: unknown) => boolean): Refusal {
  if (isUnavailable(error)) return new Refusal(unavailable, { headers: { 'Retry-After': '1' }, cause: error })
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(bodyTooLarge)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return invalid(
        'body',
        `The request body must be sent as ${request.routeOptions.config.bodyType ?? 'application/json'}`,
      )
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalid('body', 'The request body is not as long as it was said to be')
    default:
      return new Refusal(internalError, { cause: error })
  }
}
