import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import { missingCredentials } from './credentials.ts'
import { type OperationResult, type Redirect, success } from './envelope.ts'
import { Time, Uuid } from './fields.ts'
import type { Operation, OperationRoute } from './operation.ts'
import { countRequest, type Limits } from './rate-limit.ts'
import { notFound, Refusal, unauthenticated } from './refusal.ts'
import type { Reply } from './reply.ts'
import type { Caller, Request } from './request.ts'
import { createResponseSerializer } from './response-serializer.ts'
import type { Guard, Routes } from './routes.ts'
import { type TSchema, Type } from './schema.ts'
import type { Validation } from './validation.ts'

/** The parts that all operations share: the checks that a request passes before the operation runs. */
export interface RequestChecks {
  /** The signed-in caller; undefined without valid credentials of an active session. */
  authenticate(request: Request): MaybePromise<Caller | undefined>
  /**
   * The same for an owner of the site; undefined for any other caller. Refuses a session without the factor it needs.
   */
  authenticateOwner(request: Request): Promise<Caller | undefined>
  limits: Limits
  /** The address that rate limits count the request for. */
  addressOf(request: Request): string
  validation: Validation
}

/**
 * Registers a route for each operation. A request passes these steps:
 *
 * 1. guard: authentication, unless the operation is public; the rate limit `api`, by session or by address;
 *    `operation.admit` of a signed-in operation
 * 2. the body, read by the server
 * 3. handler: validation of body, query and headers; `operation.handle`; the envelope, with the fields of `data` alone
 */
export function mount(app: Routes, routes: OperationRoute[], checks: RequestChecks): void {
  for (const [method, path, operation] of routes) {
    const serialize = createResponseSerializer(successSchema(operation))
    const readInput = createInputReader(operation, checks.validation)
    app.route({
      method,
      path,
      bodyParsers: operation.bodyParsers,
      isSafe: operation.isSafe,
      isHidden: operation.access === 'owner' ? true : undefined,
      guard(request, reply) {
        reply.header('cache-control', 'no-store')
        if (operation.access === 'public') return countRequest(request, undefined, checks)
        if (operation.access === 'owner') return admitOwner(request, checks)
        const counted = chain(checks.authenticate(request), (caller) => admit(caller, request, checks))
        return operation.admit ? chain(counted, () => operation.admit?.(request, request.caller as Caller)) : counted
      },
      handle(request, reply) {
        const caller = request.caller as Caller
        return chain(readInput(request), (input) =>
          chain(operation.handle({ ...input, request, caller }), (result) => send(result, request, reply)),
        )
      },
    })

    function send(result: OperationResult | Redirect, request: Request, reply: Reply): Reply {
      if (result.cookies) reply.header('set-cookie', result.cookies)
      if ('redirect' in result) return reply.redirect(result.redirect, 302)
      return reply
        .code(operation.status ?? 200)
        .send(serialize(success(request.id, (result.message ?? operation.message) as string, result.data)))
    }
  }
}

/** Counts the request for its session; without a caller, counts it for its address and refuses it with 401. */
function admit(caller: Caller | undefined, request: Request, checks: RequestChecks): MaybePromise<undefined> {
  if (!caller) {
    return chain(countRequest(request, undefined, checks), () => {
      throw unauthenticated(missingCredentials(request.headers))
    })
  }
  request.caller = caller
  return countRequest(request, caller, checks)
}

/** The guard of a path for owners. It counts the requests of others for their address, as those of an unknown path. */
export const ownerGuard =
  (checks: RequestChecks): Guard =>
  async (request, reply) => {
    reply.header('cache-control', 'no-store')
    return admitOwner(request, checks)
  }

async function admitOwner(request: Request, checks: RequestChecks): Promise<undefined> {
  const caller = await checks.authenticateOwner(request)
  if (caller) return admit(caller, request, checks)
  await countRequest(request, undefined, checks)
  throw new Refusal(notFound)
}

interface Input {
  body: unknown
  query: unknown
}

/** Returns a function that validates the parts of a request that the operation declares. Other parts are not read. */
function createInputReader(
  { body, query, headers }: Operation,
  validation: Validation,
): (request: Request) => MaybePromise<Input> {
  if (!body && !query && !headers) return () => ({ body: undefined, query: undefined })
  return async (request) => {
    const sentBody = request.body === undefined ? {} : request.body
    const input = {
      body: body && (await validation.validate('body', body, sentBody)),
      query: query && (await validation.validate('query', query, request.query)),
    }
    if (headers) await validation.validate('headers', headers, request.headers)
    return input
  }
}

/** The envelope of an operation with this data. */
export function successSchema({ data, message = '' }: Pick<Operation, 'data' | 'message'>): TSchema {
  return Type.Object({
    success: Type.Boolean({ description: 'Always true' }),
    message: Type.String({ examples: [message] }),
    ...(data && { data }),
    timestamp: Time,
    requestId: Uuid,
  })
}
