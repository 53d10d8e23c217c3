/**
 * The tables with data that a migration locks against writes on PostgreSQL: it changes their columns or indexes, or
 * creates a foreign key to them (https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-TABLES). All
 * missing migrations run in one transaction, so the locks last until its end. SQLite locks the whole file. A test
 * compares this list with the locks that PostgreSQL reports.
 */
export const LOCKED_TABLES: Record<string, string[]> = {
  '0003-linked-sign-ins': ['users'],
  '0005-pictures': ['users'],
  '0006-times-of-ending': ['codes', 'security_events'],
  '0007-ended-sessions': ['sessions'],
  '0008-links-in-mails': ['codes', 'users'],
  '0009-session-origins-and-unlinked-identities': ['handshakes', 'sessions', 'users'],
  '0010-cheap-refresh': ['rate_limits', 'sessions', 'signing_keys'],
  '0011-proofs-of-identity': ['sessions', 'users'],
  '0012-owners': ['users'],
  '0013-registration': ['users'],
  '0014-webhooks': ['users'],
  '0015-health': ['outbox'],
}
