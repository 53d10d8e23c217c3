import type { TSchema } from './schema.ts'

interface SchemaFields {
  examples?: unknown[]
  default?: unknown
  enum?: unknown[]
  type?: string | string[]
  'x-instead-of'?: string
  properties?: Record<string, TSchema>
  items?: TSchema
}

/**
 * An example value of a schema, built from the examples of its parts. A property without an example, or in
 * place of another one, is left out.
 */
export function exampleOf(schema: TSchema): unknown {
  const { examples, default: defaultValue, enum: values, properties, items, type } = schema as SchemaFields
  if (examples) return examples[0]
  if (defaultValue !== undefined) return defaultValue
  if (values) return values[0]
  if (items) return [exampleOf(items)]
  if (properties) return exampleOfObject(properties)
  return { boolean: true, integer: 1 }[type as string]
}

function exampleOfObject(properties: Record<string, TSchema>): Record<string, unknown> {
  const parts = Object.entries(properties)
    .filter(([, part]) => !(part as SchemaFields)['x-instead-of'])
    .map(([name, part]) => [name, exampleOf(part)] as const)
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined))
}
