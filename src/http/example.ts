import type { TSchema } from './schema.ts'

interface Described {
  examples?: unknown[]
  const?: unknown
  default?: unknown
  enum?: unknown[]
  type?: string | string[]
  anyOf?: TSchema[]
  properties?: Record<string, TSchema>
  items?: TSchema
}

/** An example of what a schema describes, made from the examples of its parts. A part without one is left out. */
export function exampleOf(schema: TSchema): unknown {
  const {
    examples,
    const: constant,
    default: usual,
    enum: values,
    anyOf,
    properties,
    items,
    type,
  } = schema as Described
  if (examples) return examples[0]
  if (constant !== undefined) return constant
  if (usual !== undefined) return usual
  if (values) return values[0]
  if (anyOf?.[0]) return exampleOf(anyOf[0])
  if (items) return [exampleOf(items)]
  if (properties) return exampleOfObject(properties)
  return { boolean: true, integer: 1, null: null }[type as string]
}

function exampleOfObject(properties: Record<string, TSchema>): Record<string, unknown> {
  const parts = Object.entries(properties).map(([name, part]) => [name, exampleOf(part)] as const)
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined))
}
