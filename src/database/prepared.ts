import {
  type CompiledQuery,
  type KyselyPlugin,
  OperationNodeTransformer,
  type QueryId,
  type RawBuilder,
  sql,
  ValueNode,
} from 'kysely'

/** A parameter of a prepared query, whose value is given at each run. */
export type Arg<T> = RawBuilder<T>
export type Values<Args extends Arg<unknown>[]> = {
  [K in keyof Args]: Args[K] extends Arg<infer T> ? T : never
}

class Placeholder {
  readonly position: number
  constructor(position: number) {
    this.position = position
  }
}

/** Returns placeholders to build a query with, and a function that replaces them by the values of one run. */
export function argumentsOf(count: number) {
  const placeholders = Array.from({ length: count }, (_, position) => sql<unknown>`${new Placeholder(position)}`)
  const bind = (compiled: CompiledQuery, values: readonly unknown[]) =>
    compiled.parameters.map((parameter) => (parameter instanceof Placeholder ? values[parameter.position] : parameter))
  return { placeholders, bind }
}

/** When a newer instance adds a column, PostgreSQL rejects such a prepared statement (see `Database.prepare`). */
export function returnsAllColumns(text: string): boolean {
  return /[\s.]\*(?=,| from|$)/.test(text)
}

class NumberInliner extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode, queryId?: QueryId): ValueNode {
    return typeof node.value === 'number' ? ValueNode.createImmediate(node.value) : super.transformValue(node, queryId)
  }
}

const numberInliner = new NumberInliner()

/**
 * Writes constant numbers into the SQL text instead of binding them as parameters. SQLite may plan a statement again
 * when a parameter is bound to a value (https://www.sqlite.org/c3ref/prepare.html), which took more than twice as long
 * as running the statement. Placeholders stay parameters.
 */
export const inlineNumbers: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => numberInliner.transformNode(node, queryId),
  transformResult: async ({ result }) => result,
}
