import { sql } from 'kysely'
import type { ReadOnlyDatabase } from '../database/read-only.ts'
import { fault, type Observation, ok, warning } from './finding.ts'

/** The oldest version that its project maintains (https://www.postgresql.org/support/versioning/, November 2026). */
const OLDEST_MAINTAINED = 15
/** One process opens at most so many connections (`database/postgres.ts`). */
const CONNECTIONS_OF_A_PROCESS = 10
const FEW_CONNECTIONS = 3

interface ServerState {
  version: number
  isReadOnly: boolean
  /** For roles without special rights. */
  usable: number
  used: number
  /** -1 without a limit. */
  roleLimit: number
  mayWrite: boolean | null
  role: string
}

export async function observePostgres({ query }: ReadOnlyDatabase, workers: number): Promise<Observation[]> {
  const { rows } = await sql<ServerState>`
    select current_setting('server_version_num')::int / 10000 as version,
      pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as usable,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
      (select rolconnlimit from pg_roles where rolname = current_user) as "roleLimit",
      current_user as role,
      (select has_table_privilege(oid, 'select, insert, update, delete') from pg_class
        where oid = to_regclass('users')) as "mayWrite"`.execute(query)
  const [state] = rows
  if (!state) return []
  const observations = [...observeRights(state), ...observeConnections(state, workers * CONNECTIONS_OF_A_PROCESS)]
  if (state.version < OLDEST_MAINTAINED) {
    observations.push(
      warning(`PostgreSQL ${state.version} gets no fixes any more`, `Upgrade to ${OLDEST_MAINTAINED} or later.`),
    )
  }
  return observations.length > 0
    ? observations
    : [ok(`PostgreSQL ${state.version}, ${state.used} of ${state.usable} connections in use`)]
}

function observeRights({ isReadOnly, mayWrite, role }: ServerState): Observation[] {
  const observations: Observation[] = []
  if (isReadOnly) {
    observations.push(
      fault(
        'PostgreSQL is read-only: every write gets 503',
        'DATABASE_URL must lead to the primary server. On a primary, set default_transaction_read_only = off.',
      ),
    )
  }
  if (mayWrite === false) {
    observations.push(
      fault(
        `the role ${role} may not write to the tables`,
        `As their owner: grant all on all tables in schema public to ${role};`,
      ),
    )
  }
  return observations
}

function observeConnections({ usable, used, roleLimit, role }: ServerState, needed: number): Observation[] {
  const observations: Observation[] = []
  if (usable < needed) {
    observations.push(
      fault(
        `the service may open ${needed} connections, and PostgreSQL allows ${usable}`,
        'Raise max_connections, set WORKERS to a smaller number, or put a pooler in front.',
      ),
    )
  } else if (usable - used < FEW_CONNECTIONS) {
    observations.push(
      warning(`${used} of ${usable} connections are in use`, 'Raise max_connections, or put a pooler in front.'),
    )
  }
  if (roleLimit >= 0 && roleLimit < needed) {
    observations.push(
      fault(
        `the service may open ${needed} connections, and the role ${role} is allowed ${roleLimit}`,
        `alter role ${role} connection limit ${needed};`,
      ),
    )
  }
  return observations
}
