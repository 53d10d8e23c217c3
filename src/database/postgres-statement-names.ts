import { createHash } from 'node:crypto'
import { returnsAllColumns } from './prepared.ts'

// PostgreSQL plans a prepared statement with the values of each run until it has run five times
// (https://www.postgresql.org/docs/current/sql-prepare.html). A statement that runs less often gains nothing.
const MIN_RUNS = 5
// A connection keeps the plan of each name until it is closed, so this bounds the memory of the server.
const MAX_NAMES = 100
const MAX_COUNTED_TEXTS = 1000

/** Names of prepared statements. A connection parses a statement with a name only once. */
export interface StatementNames {
  /** False once `stop` was called. */
  readonly areUsed: boolean
  /** The name of a statement that Kysely has built. Undefined unless the statement runs often. */
  ofFrequent(text: string): string | undefined
  /** From now on no statement has a name. */
  stop(): void
}

export function createStatementNames(onStop: () => void): StatementNames {
  const frequent = new Map<string, string>()
  const runs = new Map<string, number>()
  let areUsed = true

  return {
    get areUsed() {
      return areUsed
    },
    // Kysely may build any number of different texts, so the number of names is limited.
    ofFrequent(text) {
      if (!areUsed) return undefined
      const name = frequent.get(text)
      if (name !== undefined || frequent.size >= MAX_NAMES || returnsAllColumns(text)) return name
      const count = (runs.get(text) ?? 0) + 1
      if (count >= MIN_RUNS) {
        frequent.set(text, statementName(text))
        runs.delete(text)
      } else {
        if (runs.size >= MAX_COUNTED_TEXTS) runs.clear()
        runs.set(text, count)
      }
      return frequent.get(text)
    },
    stop() {
      if (areUsed) onStop()
      areUsed = false
    },
  }
}

/** Behind a pooler, processes share connections, so the same name must mean the same statement in all of them. */
export function statementName(text: string): string {
  return `portico-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}
