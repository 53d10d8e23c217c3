/** A documented error: one status and one public message, declared once, beside the operation that throws it. */
export interface RefusalKind {
  readonly status: number
  readonly message: string
}

export interface FieldError {
  field: string
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

  constructor(
    kind: RefusalKind,
    details: { errors?: FieldError[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(kind.message, { cause: details.cause })
    this.kind = kind
    this.status = kind.status
    this.errors = details.errors
    this.headers = details.headers ?? {}
  }
}

export const validationFailed: RefusalKind = { status: 400, message: 'Validation failed' }
export const notAuthenticated: RefusalKind = { status: 401, message: 'Authentication required' }
export const notFound: RefusalKind = { status: 404, message: 'Not found' }
export const methodNotAllowed: RefusalKind = { status: 405, message: 'Method not allowed' }
export const bodyTooLarge: RefusalKind = { status: 413, message: 'Request body is too large' }
export const tooManyRequests: RefusalKind = {
  status: 429,
  message: 'Too many requests, please try again later',
}
export const internalError: RefusalKind = { status: 500, message: 'Internal server error' }
export const unavailable: RefusalKind = { status: 503, message: 'Service temporarily unavailable' }

export function invalid(field: string, message: string): Refusal {
  return new Refusal(validationFailed, { errors: [{ field, message }] })
}

/**
 * The 401 refusal. It names the credential headers that the request lacks. For every other reason the response is the
 * same, so that an unknown, an expired and a revoked credential cannot be distinguished.
 */
export function unauthenticated(missing: FieldError[] = []): Refusal {
  return new Refusal(notAuthenticated, {
    ...(missing.length > 0 && { errors: missing }),
    headers: { 'WWW-Authenticate': challenge(missing) },
  })
}

/** WWW-Authenticate (RFC 6750, section 3): no error code without a token, `invalid_request` without a session id. */
function challenge([missing]: FieldError[]): string {
  if (missing?.field === 'authorization') return 'Bearer'
  return missing
    ? `Bearer error="invalid_request", error_description="${missing.message}"`
    : 'Bearer error="invalid_token", error_description="The access token is invalid or expired, or its session has ended"'
}
