import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { success } from './envelope.ts'
import type { Limits } from './limits.ts'
import type { Caller, Operation, Route } from './operation.ts'
import { routePath } from './route-path.ts'
import { type TSchema, Type } from './schema.ts'

export interface Gate {
  authenticate(request: FastifyRequest): Promise<Caller>
  limits: Limits
  addressOf(request: FastifyRequest): string
}

/** Puts operations on the server. Everything that all of them share happens here, in the order it is written. */
export function mount(app: FastifyInstance, routes: Route[], gate: Gate): void {
  for (const [method, url, operation] of routes) {
    app.route({
      method,
      url,
      config: { bodyType: operation.bodyType, countsItself: true },
      schema: {
        ...(operation.body && { body: operation.body }),
        ...(operation.query && { querystring: operation.query }),
        ...(operation.headers && { headers: operation.headers }),
        response: { [operation.status ?? 200]: successSchema(operation) },
      },
      async onRequest(request, reply) {
        reply.header('cache-control', 'no-store')
        if (operation.access === 'signed-in') {
          request.caller = await gate.authenticate(request).catch(async (refusal) => {
            await countByAddress(request, gate)
            throw refusal
          })
        }
        reply.headers(
          request.caller
            ? await gate.limits.take('api', 'session', request.caller.sessionId)
            : await countByAddress(request, gate),
        )
      },
      ...(operation.body && { preValidation: expectBody }),
      async handler(request, reply) {
        const { body, query, caller } = request
        const answer = await operation.handle({ body, query, request, caller: caller as Caller })
        if (answer.cookies) reply.header('Set-Cookie', answer.cookies)
        if ('redirect' in answer) return reply.redirect(answer.redirect, 302)
        reply.code(operation.status ?? 200)
        return success(request.id, answer)
      },
    })
  }
}

function expectBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.body ??= {}
  done()
}

/** What else is asked for in the API counts too: what it publishes, and what does not exist. */
export function countTheRest(app: FastifyInstance, isOurs: (path: string) => boolean, gate: Gate): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isCounted = request.routeOptions.config?.countsItself || !isOurs(routePath(request))
    if (isCounted) return done()
    countByAddress(request, gate).then((headers) => done(void reply.headers(headers)), done)
  })
}

function countByAddress(request: FastifyRequest, { limits, addressOf }: Gate) {
  return limits.take('api', 'address', addressOf(request))
}

export function successSchema(operation: Operation): TSchema {
  return Type.Object({
    success: Type.Literal(true),
    message: Type.String(),
    ...(operation.data && { data: operation.data }),
    timestamp: Type.String({ format: 'date-time' }),
    requestId: Type.String({ format: 'uuid' }),
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    bodyType?: string | undefined
    /** An operation knows whether to count a session or an address. */
    countsItself?: boolean
  }
  interface FastifyRequest {
    /** Set on the routes of signed-in callers only. */
    caller?: Caller
  }
}
