import type { FieldErrorCode } from './field-error-codes.ts'

/** A documented error, declared once by `declareRefusal`, beside the operation that throws it. */
export interface RefusalKind {
  readonly status: number
  /** A stable name for programs, in snake_case. A released code never changes its meaning, status or message. */
  readonly code: string
  /** The public message, for people. */
  readonly message: string
  /** The condition, for the table of codes in the documentation. */
  readonly when: string
  /** An example of the `data`, for a refusal that has it. */
  readonly exampleData?: FailureData
}

const declared = new Map<string, RefusalKind>()

/** Declares a refusal. Throws if another refusal has its code. */
export function declareRefusal(kind: RefusalKind): RefusalKind {
  if (declared.has(kind.code)) throw new Error(`the refusal ${kind.code} is declared twice`)
  declared.set(kind.code, kind)
  return kind
}

/**
 * Every refusal of the loaded modules, ordered by status and code. `app.ts` loads all modules that declare refusals.
 */
export function declaredRefusals(): RefusalKind[] {
  return [...declared.values()].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
}

/** The `data` of a refusal. */
export interface FailureData {
  /** The means by which the person can prove their identity. */
  means?: string[]
  /** The token of a sign-in that needs a second factor, and when it expires. */
  challenge?: string
  expiresAt?: string
  /** When the suspension of the account ends, and why the owner of the site has suspended it. */
  suspendedUntil?: string
  reason?: string
}

export interface FieldError {
  field: string
  code: FieldErrorCode
  message: string
}

/**
 * The error that `error-responses.ts` maps to a response with its status, message and headers. Any other error becomes
 * 500, or 503 when the database is unavailable. `cause` is logged and never sent.
 */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly status: number
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string>
  /** The data that a program needs to go on, for refusals that have such data. */
  readonly data: FailureData | undefined

  constructor(
    kind: RefusalKind,
    details: { errors?: FieldError[]; headers?: Record<string, string>; data?: FailureData; cause?: unknown } = {},
  ) {
    super(kind.message, { cause: details.cause })
    this.kind = kind
    this.status = kind.status
    this.errors = details.errors
    this.headers = details.headers ?? {}
    this.data = details.data
  }
}

export const validationFailed = declareRefusal({
  status: 400,
  code: 'validation_failed',
  message: 'Validation failed',
  when: 'The request does not match the description of the operation. `errors` names the fields',
})
export const notAuthenticated = declareRefusal({
  status: 401,
  code: 'authentication_required',
  message: 'Authentication required',
  when: 'A signed-in call has no valid credentials. `errors` names a header that is missing; otherwise the token is invalid or expired, or its session has ended',
})
export const notFound = declareRefusal({
  status: 404,
  code: 'not_found',
  message: 'Not found',
  when: 'The path does not exist',
})
export const methodNotAllowed = declareRefusal({
  status: 405,
  code: 'method_not_allowed',
  message: 'Method not allowed',
  when: 'The path does not allow the method. The header `Allow` lists the methods of the path',
})
export const bodyTooLarge = declareRefusal({
  status: 413,
  code: 'body_too_large',
  message: 'Request body is too large',
  when: 'The body has more than 64 KiB, or an uploaded file more than 5 MB',
})
export const tooManyRequests = declareRefusal({
  status: 429,
  code: 'rate_limited',
  message: 'Too many requests, please try again later',
  when: 'A rate limit is exceeded. The header `Retry-After` has the seconds to wait',
})
export const internalError = declareRefusal({
  status: 500,
  code: 'internal_error',
  message: 'Internal server error',
  when: 'The service has failed. The log of the service has the error under the `requestId`',
})
export const unavailable = declareRefusal({
  status: 503,
  code: 'service_unavailable',
  message: 'Service temporarily unavailable',
  when: 'The database does not respond, or too much work is queued. The header `Retry-After` has the seconds to wait',
})

export function invalid(field: string, code: FieldErrorCode, message: string): Refusal {
  return new Refusal(validationFailed, { errors: [{ field, code, message }] })
}

/**
 * The 401 refusal. It names the credential headers that the request lacks. For every other reason the response is the
 * same, so that an unknown, an expired and a revoked credential cannot be distinguished.
 */
export function unauthenticated(missing: FieldError[] = []): Refusal {
  return new Refusal(notAuthenticated, {
    ...(missing.length > 0 && { errors: missing }),
    headers: { 'WWW-Authenticate': wwwAuthenticate(missing) },
  })
}

/** WWW-Authenticate (RFC 6750, section 3): no error code without a token, `invalid_request` without a session id. */
function wwwAuthenticate([missing]: FieldError[]): string {
  if (missing?.field === 'authorization') return 'Bearer'
  return missing
    ? `Bearer error="invalid_request", error_description="${missing.message}"`
    : 'Bearer error="invalid_token", error_description="The access token is invalid or expired, or its session has ended"'
}
