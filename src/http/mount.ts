import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import { missingCredentials } from './credentials.ts'
import { type Answer, type Redirect, success } from './envelope.ts'
import { Time, Uuid } from './fields.ts'
import { counter, type Limits } from './limits.ts'
import type { Operation, OperationRoute } from './operation.ts'
import { unauthenticated } from './refusal.ts'
import type { Reply } from './reply.ts'
import type { Caller, Request } from './request.ts'
import { createResponseSerializer } from './response-serializer.ts'
import type { Routes } from './routes.ts'
import { type TSchema, Type } from './schema.ts'
import type { Validation } from './validation.ts'

export interface Gate {
  authenticate(request: Request): MaybePromise<Caller | undefined>
  limits: Limits
  addressOf(request: Request): string
  validation: Validation
}

/** Puts operations on the server. Everything that all of them share happens here, in the order it is written. */
export function mount(app: Routes, routes: OperationRoute[], gate: Gate): void {
  for (const [method, path, operation] of routes) {
    const shaped = createResponseSerializer(successSchema(operation))
    const input = inputOf(operation, gate.validation)
    app.route({
      method,
      path,
      bodyParsers: operation.bodyParsers,
      isSafe: operation.isSafe,
      guard(request, reply) {
        reply.header('cache-control', 'no-store')
        if (operation.access === 'public') return countByAddress(request, reply, gate)
        return chain(gate.authenticate(request), (caller) => guard(caller, request, reply, gate))
      },
      handle(request, reply) {
        const caller = request.caller as Caller
        return chain(input(request), (taken) =>
          chain(operation.handle({ ...taken, request, caller }), (answer) => send(answer, request, reply)),
        )
      },
    })

    function send(answer: Answer | Redirect, request: Request, reply: Reply): Reply {
      if (answer.cookies) reply.header('set-cookie', answer.cookies)
      if ('redirect' in answer) return reply.redirect(answer.redirect, 302)
      return reply
        .code(operation.status ?? 200)
        .send(shaped(success(request.id, (answer.message ?? operation.message) as string, answer.data)))
    }
  }
}

function guard(caller: Caller | undefined, request: Request, reply: Reply, gate: Gate): MaybePromise<Reply> {
  if (!caller) {
    return chain(countByAddress(request, reply, gate), () => {
      throw unauthenticated(missingCredentials(request.headers))
    })
  }
  request.caller = caller
  return withRateLimitHeaders(gate.limits.take(counter('api', 'session', caller.sessionId)), reply)
}

/**
 * Of whoever is not signed in, the address is counted: for calls, for what the API publishes, and for what it does not
 * have.
 */
export function countByAddress(request: Request, reply: Reply, { limits, addressOf }: Gate): MaybePromise<Reply> {
  return withRateLimitHeaders(limits.take(counter('api', 'address', addressOf(request))), reply)
}

function withRateLimitHeaders(standing: MaybePromise<Record<string, string>>, reply: Reply): MaybePromise<Reply> {
  return chain(standing, (headers) => reply.headers(headers))
}

interface Input {
  body: unknown
  query: unknown
}

/** What an operation takes, checked; of what it does not take, nothing is looked at. */
function inputOf(
  { body, query, headers }: Operation,
  validation: Validation,
): (request: Request) => MaybePromise<Input> {
  if (!body && !query && !headers) return () => ({ body: undefined, query: undefined })
  return async (request) => {
    const sent = request.body === undefined ? {} : request.body
    const input = {
      body: body && (await validation.checked('body', body, sent)),
      query: query && (await validation.checked('query', query, request.query)),
    }
    if (headers) await validation.checked('headers', headers, request.headers)
    return input
  }
}

export function successSchema(operation: Operation): TSchema {
  return Type.Object({
    success: Type.Literal(true),
    message: Type.String({ examples: [operation.message ?? ''] }),
    ...(operation.data && { data: operation.data }),
    timestamp: Time,
    requestId: Uuid,
  })
}
