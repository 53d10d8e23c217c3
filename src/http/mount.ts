import { success } from './envelope.ts'
import type { Limits } from './limits.ts'
import type { Operation, OperationRoute } from './operation.ts'
import { unauthenticated } from './refusal.ts'
import type { Reply } from './reply.ts'
import type { Caller, Request } from './request.ts'
import type { Routes } from './routes.ts'
import { type TSchema, Type } from './schema.ts'
import { shapedBy } from './shaped.ts'
import type { Validation } from './validation.ts'

export interface Gate {
  authenticate(request: Request): Promise<Caller | undefined> | Caller | undefined
  limits: Limits
  addressOf(request: Request): string
  validation: Validation
}

/** Puts operations on the server. Everything that all of them share happens here, in the order it is written. */
export function mount(app: Routes, routes: OperationRoute[], gate: Gate): void {
  const { limits, validation } = gate
  for (const [method, path, operation] of routes) {
    const { body: bodySchema, query: querySchema, headers: headerSchema, status = 200 } = operation
    const shaped = shapedBy(successSchema(operation))
    app.route({
      method,
      path,
      forms: operation.forms,
      async admit(request, reply) {
        reply.header('cache-control', 'no-store')
        if (operation.access === 'public') return countByAddress(request, reply, gate)
        const found = gate.authenticate(request)
        const caller = found instanceof Promise ? await found : found
        if (!caller) {
          await countByAddress(request, reply, gate)
          throw unauthenticated()
        }
        request.caller = caller
        reply.headers(await limits.take('api', 'session', caller.sessionId))
      },
      async handle(request, reply) {
        const sent = request.body === undefined ? {} : request.body
        const body = bodySchema && (await validation.checked('body', bodySchema, sent))
        const query = querySchema && (await validation.checked('query', querySchema, request.query))
        if (headerSchema) await validation.checked('headers', headerSchema, request.headers)
        const answer = await operation.handle({ body, query, request, caller: request.caller as Caller })
        if (answer.cookies) reply.header('set-cookie', answer.cookies)
        if ('redirect' in answer) return reply.redirect(answer.redirect, 302)
        return reply.code(status).send(shaped(success(request.id, answer)))
      },
    })
  }
}

/** Of whoever is not signed in, the address is counted: for calls, for what the API publishes, and for what it does not have. */
export async function countByAddress(request: Request, reply: Reply, { limits, addressOf }: Gate): Promise<void> {
  reply.headers(await limits.take('api', 'address', addressOf(request)))
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
