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
  const end = (startedAt: number) => observer.statement(kind, performance.now() - startedAt)
  return (values) => {
    const startedAt = performance.now()
    let rows: MaybePromise<unknown[]>
    try {
      rows = run(values)
    } catch (error) {
      end(startedAt)
      throw error
    }
    if (rows instanceof Promise) {
      const ended = () => end(startedAt)
      void rows.then(ended, ended)
    } else end(startedAt)
    return rows
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
