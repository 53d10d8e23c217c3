import type { LimitName } from '../config/limit-kinds.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { BodyParser } from './body.ts'
import type { OperationResult, Redirect } from './envelope.ts'
import type { RefusalKind } from './refusal.ts'
import type { Caller, Request } from './request.ts'
import type { Static, TObject, TSchema } from './schema.ts'

/** The input, output and refusals of an operation. Validation, types and the API description are derived from it. */
export interface Contract<Body extends TSchema, Query extends TSchema, Data extends TSchema> {
  /** The operationId of the API description. Generated clients name their methods by it. */
  id: string
  summary: string
  description?: string
  /** The message of a success, unless the result of `handle` has its own. Absent if the operation only redirects. */
  message?: string
  body?: Body
  /** The media types that the body may have. JSON by default. */
  bodyParsers?: BodyParser[]
  query?: Query
  headers?: TObject
  data?: Data
  status?: 200 | 201
  /** False for a GET that changes something. HEAD, a safe method, is then not allowed (RFC 9110, section 9.2.1). */
  isSafe?: false
  /** Whether `handle` may return a redirect. */
  redirects?: boolean
  refusals?: RefusalKind[]
  /** The link objects of OpenAPI, by name: the calls that a program can make with the data. */
  links?: Record<string, Link>
  /** The rate limits that `admit` and `handle` count its calls in, beside `api`, which counts all calls. */
  limits?: LimitName[]
}

/**
 * A link object of OpenAPI. Its values are runtime expressions, such as `$response.body#/data`. The body of the linked
 * operation is an object of the response that has its fields, because operations ignore fields that they do not name.
 */
interface Link {
  operationId: string
  description: string
  parameters?: Record<string, string>
  requestBody?: string
}

export interface Call<Body extends TSchema, Query extends TSchema> {
  body: Static<Body>
  query: Static<Query>
  request: Request
}

/** The part of a definition that only an operation for signed-in callers has. */
interface Admission {
  /** Runs before the body is read, for a call that must be counted although its body may never be complete. */
  admit?(request: Request, caller: Caller): MaybePromise<undefined>
}

export interface Operation extends Contract<TSchema, TSchema, TSchema>, Admission {
  /** Calls of an operation for owners get the 404 of an unknown path from everybody else. */
  access: 'public' | 'signed-in' | 'owner'
  handle(call: {
    body: unknown
    query: unknown
    request: Request
    caller: Caller
  }): MaybePromise<OperationResult | Redirect>
}

/** Defines an operation for signed-in callers. */
export function operation<Body extends TSchema, Query extends TSchema, Data extends TSchema>(
  definition: Contract<Body, Query, Data> &
    Admission & {
      handle(call: Call<Body, Query> & { caller: Caller }): MaybePromise<OperationResult<Static<Data>> | Redirect>
    },
): Operation {
  return { access: 'signed-in', ...definition } as Operation
}

/** Defines an operation that needs no authentication. */
export function publicOperation<Body extends TSchema, Query extends TSchema, Data extends TSchema>(
  definition: Contract<Body, Query, Data> & {
    handle(call: Call<Body, Query>): MaybePromise<OperationResult<Static<Data>> | Redirect>
  },
): Operation {
  return { access: 'public', ...definition } as Operation
}

type Method = 'GET' | 'POST' | 'DELETE'
export type OperationRoute = [method: Method, path: string, operation: Operation]
