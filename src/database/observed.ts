import type { LogConfig, RootOperationNode } from 'kysely'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Observer, StatementKind } from '../lib/observer.ts'

export type DatabaseObserver = Pick<Observer, 'statement' | 'synced'>

type Run = (values: unknown[]) => MaybePromise<unknown[]>

const KINDS: Partial<Record<RootOperationNode['kind'], StatementKind>> = {
  SelectQueryNode: 'select',
  InsertQueryNode: 'insert',
  UpdateQueryNode: 'update',
  DeleteQueryNode: 'delete',
}

/** Measures a prepared statement that does not run through Kysely. */
export function observed(run: Run, { kind: node }: RootOperationNode, observer: DatabaseObserver | undefined): Run {
  if (!observer) return run
  const kind = KINDS[node] ?? 'other'
  return (values) => {
    const startedAt = performance.now()
    const end = () => observer.statement(kind, performance.now() - startedAt)
    let rows: MaybePromise<unknown[]> | undefined
    try {
      rows = run(values)
      return rows
    } finally {
      if (rows instanceof Promise) void rows.then(end, end)
      else end()
    }
  }
}

/** Makes Kysely report its statements: those of transactions, and those that are not prepared. */
export function statementLog(observer: DatabaseObserver | undefined): { log?: LogConfig } {
  if (!observer) return {}
  return {
    log: ({ query, queryDurationMillis }) =>
      observer.statement(KINDS[query.query.kind] ?? 'other', queryDurationMillis),
  }
}
