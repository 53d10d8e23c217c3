// Connection trouble by class, no such database or none that takes connections, too many connections, shutting down,
// cancelled by time-out, read-only after a failover, given up in favour of another transaction.
const UNAVAILABLE =
  /^(08...|3D000|55000|40P01|40001|53...|57P0.|57014|25006|ECONN.*|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/
const UNAVAILABLE_WORDS = /timeout|terminated|not queryable/i

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true
  return UNAVAILABLE.test(codeOf(error)) || (codeOf(error) === '' && UNAVAILABLE_WORDS.test(error.message))
}

export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** The server takes no writes: it is a standby, or was made read-only. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006'
}

/** What PgBouncer says to a startup parameter that it does not know. */
export function isRefusedParameter(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/.test(error.message)
}

/** The connection behind a pooler is another one than that on which the statement was prepared. */
export function isLostStatement(error: unknown): boolean {
  return ['26000', '42P05'].includes(codeOf(error))
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
