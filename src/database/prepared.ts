import {
  type CompiledQuery,
  type KyselyPlugin,
  OperationNodeTransformer,
  type QueryId,
  type RawBuilder,
  sql,
  ValueNode,
} from 'kysely'

/** A value that a prepared query is given each time it runs. */
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

/** Stand-ins to build a query with, and the function that puts real values in their places. */
export function argumentsOf(count: number) {
  const placeholders = Array.from({ length: count }, (_, position) => sql<unknown>`${new Placeholder(position)}`)
  const bind = (compiled: CompiledQuery, values: readonly unknown[]) =>
    compiled.parameters.map((parameter) => (parameter instanceof Placeholder ? values[parameter.position] : parameter))
  return { placeholders, bind }
}

class Constants extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode, queryId?: QueryId): ValueNode {
    return typeof node.value === 'number' ? ValueNode.createImmediate(node.value) : super.transformValue(node, queryId)
  }
}

const constants = new Constants()

/**
 * Writes the numbers that never change into the query. As parameters they are values like any other, for which SQLite makes
 * a new plan each time they are set: more than twice the work of running the query.
 */
export const inlineNumbers: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => constants.transformNode(node, queryId),
  transformResult: async ({ result }) => result,
}
