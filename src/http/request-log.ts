import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

/** One line a request. The query is left out: it may carry what nobody should read in a log. */
export function logRequests(app: FastifyInstance, log: FastifyBaseLogger): void {
  app.addHook('onResponse', (request, reply, done) => {
    log.info(
      {
        requestId: request.id,
        method: request.method,
        path: request.url.split('?')[0],
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    )
    done()
  })
}
