import { success } from './envelope.ts'
import type { Limits } from './limits.ts'
import type { Operation, OperationRoute } from './operation.ts'
import type { Caller, Request } from './request.ts'
import type { Routes } from './routes.ts'
import { type TSchema, Type } from './schema.ts'
import type { HttpServer } from './server.ts'
import { serializerOf, type Validation } from './validation.ts'

export interface Gate {
  authenticate(request: Request): Promise<Caller>
  limits: Limits
  addressOf(request: Request): string
  validation: Validation
}

/** Puts operations on the server. Everything that all of them share happens here, in the order it is written. */
export function mount(app: Routes, routes: OperationRoute[], gate: Gate): void {
  const { limits, validation } = gate
  for (const [method, path, operation] of routes) {
    const { body: bodySchema, query: querySchema, headers: headerSchema, status = 200 } = operation
    const serialize = serializerOf(successSchema(operation))
    app.route({
      method,
      path,
      forms: operation.forms,
      countsItself: true,
      async admit(request, reply) {
        reply.prepared(NEVER_KEPT)
        if (operation.access === 'public') return reply.headers(await countByAddress(request, gate))
        try {
          request.caller = await gate.authenticate(request)
        } catch (refusal) {
          await countByAddress(request, gate)
          throw refusal
        }
        reply.headers(await limits.take('api', 'session', request.caller.sessionId))
      },
      async handle(request, reply) {
        const body =
          bodySchema && validation.checked('body', bodySchema, request.body === undefined ? {} : request.body)
        const query = querySchema && validation.checked('query', querySchema, request.query)
        if (headerSchema) validation.checked('headers', headerSchema, request.headers)
        const answer = await operation.handle({ body, query, request, caller: request.caller as Caller })
        if (answer.cookies) reply.header('set-cookie', answer.cookies)
        if ('redirect' in answer) return reply.redirect(answer.redirect, 302)
        return reply
          .code(status)
          .type('application/json; charset=utf-8')
          .send(serialize(success(request.id, answer)))
      },
    })
  }
}

const NEVER_KEPT = { 'cache-control': 'no-store' }

/** What else is asked for in the API counts too: what it publishes, and what does not exist. */
export function countTheRest(app: HttpServer, isOurs: (path: string) => boolean, gate: Gate): void {
  app.check((request, reply, route) => {
    if (route?.countsItself || !isOurs(request.path)) return undefined
    return countByAddress(request, gate).then((headers) => reply.headers(headers))
  })
}

function countByAddress(request: Request, { limits, addressOf }: Gate) {
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
