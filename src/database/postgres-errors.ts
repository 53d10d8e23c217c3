// SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html) and error codes of Node's sockets:
// - 08...: connection exceptions. 53...: insufficient resources, such as too many connections.
// - 3D000: the database does not exist. 55000: the database accepts no connections.
// - 40P01: deadlock. 40001: serialization failure.
// - 57P0.: the server shuts down or starts. 57014: canceled by `statement_timeout`.
// - 25006: the server is read-only, as after a failover.
// - 26000 and 42P05: see `isPreparedStatementMismatch`. The next run uses no names.
const UNAVAILABLE_CODES =
  /^(08...|3D000|55000|40P01|40001|53...|57P0.|57014|25006|26000|42P05|ECONN.*|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/
// Errors of `pg` itself have no code.
const UNAVAILABLE_MESSAGES = /timeout|terminated|not queryable/i

/** The database cannot be used now: a client may retry later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true
  return UNAVAILABLE_CODES.test(codeOf(error)) || (codeOf(error) === '' && UNAVAILABLE_MESSAGES.test(error.message))
}

/** The server has not responded within `query_timeout`. The message is that of `pg`. */
export function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** The server accepts no writes: it is a standby, or was made read-only. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006'
}

/** PgBouncer refuses connections with a startup parameter that it does not know. */
export function isUnsupportedStartupParameter(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/.test(error.message)
}

/**
 * A pooler has run the statement on another server connection than the one it was prepared on. The name is unknown
 * there (26000) or in use already (42P05). Or a table has another column since it was prepared. In all cases the
 * statement has not been executed.
 */
export function isPreparedStatementMismatch(error: unknown): boolean {
  const isOutdated = error instanceof Error && error.message === 'cached plan must not change result type'
  return isOutdated || ['26000', '42P05'].includes(codeOf(error))
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
