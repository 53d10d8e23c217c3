/** The kinds of statements that are measured apart. `other` has transactions, pragmas and raw SQL. */
export type StatementKind = 'select' | 'insert' | 'update' | 'delete' | 'other'

/**
 * The events that the parts of the service report to the metrics, as they happen. The parts get no observer when
 * metrics are off, so that nothing is measured then. No function may throw or block.
 */
export interface Observer {
  /**
   * A response was sent. `route` is the path of the route as it was registered; undefined for a request without one.
   */
  request(method: string, route: string | undefined, status: number, milliseconds: number): void
  /** A statement has ended, with or without an error. */
  statement(kind: StatementKind, milliseconds: number): void
  /** An fdatasync of the SQLite WAL has ended. */
  synced(milliseconds: number): void
  /** A thread has computed a password hash. */
  hashed(milliseconds: number): void
  /** A rate limit has refused a request, or withheld a mail. */
  limited(limit: string): void
  /** A log-in has ended. The result is `success`, the code of a refusal, or an outcome that the operation names. */
  loggedIn(method: string, result: string): void
  /** A webhook was called. */
  calledWebhook(result: 'success' | 'failure'): void
  /** The public site was built. */
  published(site: { pages: number; faults: number; milliseconds: number }): void
}
