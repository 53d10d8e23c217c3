import { compileExpression, objectLiteral } from '../lib/object-literal.ts'
import type { TSchema } from './schema.ts'

type Serializer = (value: unknown) => unknown

/**
 * Returns a function that copies the properties that the schema declares, at every depth. A response therefore never
 * contains a field that the API description lacks. The function is generated as JavaScript source when it is first
 * called, which makes it as fast as a handwritten object literal.
 */
export function createResponseSerializer(schema: TSchema): Serializer {
  let serialize: Serializer | undefined
  return (value) => {
    serialize ??= compileExpression('value', sourceFor(schema, 'value'))
    return serialize(value)
  }
}

/** The source of an expression that copies `value`, itself the source of an expression. */
function sourceFor(schema: TSchema, value: string): string {
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema }
  if (items) return unlessNull(value, `${value}.map((value) => ${sourceFor(items, 'value')})`)
  if (!properties) return value
  const fields = Object.entries(properties).map(([name, part]): [string, string] => [
    name,
    sourceFor(part, `${value}[${JSON.stringify(name)}]`),
  ])
  return unlessNull(value, objectLiteral(fields))
}

function unlessNull(value: string, otherwise: string): string {
  return `(${value} == null ? ${value} : ${otherwise})`
}
