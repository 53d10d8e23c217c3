import type { LimitName } from '../config/limit-kinds.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { BodyParser } from './body.ts'
import type { Answer, Redirect } from './envelope.ts'
import type { RefusalKind } from './refusal.ts'
import type { Caller, Request } from './request.ts'
import type { Static, TObject, TSchema } from './schema.ts'

/** What one operation takes, gives and refuses: validation, types and the API description are all made from this. */
interface Contract<Body extends TSchema, Query extends TSchema, Data extends TSchema> {
  summary: string
  description?: string
  /** What a success says, unless `handle` says otherwise. Left out where there is only a redirect. */
  message?: string
  body?: Body
  /** What the body is sent as; JSON unless it says otherwise. */
  bodyParsers?: BodyParser[]
  query?: Query
  headers?: TObject
  data?: Data
  status?: 200 | 201
  /**
   * False for a GET that changes something: HEAD, which is to be safe (RFC 9110, section 9.2.1), is not allowed then.
   */
  isSafe?: false
  /** Whether a browser may be sent on instead of answered. */
  redirects?: boolean
  refusals?: RefusalKind[]
  /** The rate limits that count its calls, beside the one of all calls. */
  limits?: LimitName[]
}

interface Call<Body extends TSchema, Query extends TSchema> {
  body: Static<Body>
  query: Static<Query>
  request: Request
}

export interface Operation extends Contract<TSchema, TSchema, TSchema> {
  access: 'public' | 'signed-in'
  handle(call: { body: unknown; query: unknown; request: Request; caller: Caller }): MaybePromise<Answer | Redirect>
}

/** An operation for signed-in callers: the rule. */
export function operation<Body extends TSchema, Query extends TSchema, Data extends TSchema>(
  definition: Contract<Body, Query, Data> & {
    handle(call: Call<Body, Query> & { caller: Caller }): MaybePromise<Answer<Static<Data>> | Redirect>
  },
): Operation {
  return { access: 'signed-in', ...definition } as Operation
}

/** An operation that anyone may call: the named exception. */
export function publicOperation<Body extends TSchema, Query extends TSchema, Data extends TSchema>(
  definition: Contract<Body, Query, Data> & {
    handle(call: Call<Body, Query>): MaybePromise<Answer<Static<Data>> | Redirect>
  },
): Operation {
  return { access: 'public', ...definition } as Operation
}

type Method = 'GET' | 'POST' | 'DELETE'
export type OperationRoute = [method: Method, path: string, operation: Operation]
