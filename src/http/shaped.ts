import type { TSchema } from './schema.ts'

type Shape = (value: unknown) => unknown

/** Keeps of a value what its schema names, however deep: what an answer does not promise, it does not give away. */
export function shapedBy(schema: TSchema): Shape {
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema }
  if (items) return listOf(shapedBy(items))
  if (properties) return objectOf(Object.entries(properties).map(([name, part]) => [name, shapedBy(part)]))
  return (value) => value
}

function listOf(item: Shape): Shape {
  return (value) => (value as unknown[]).map(item)
}

function objectOf(fields: [name: string, shape: Shape][]): Shape {
  return (value) => {
    const kept: Record<string, unknown> = {}
    for (const [name, shape] of fields) {
      const field = (value as Record<string, unknown>)[name]
      if (field !== undefined) kept[name] = shape(field)
    }
    return kept
  }
}
