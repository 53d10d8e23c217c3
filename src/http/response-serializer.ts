import type { TSchema } from './schema.ts'

type Shape = (value: unknown) => unknown

/**
 * Keeps of a value what its schema names, however deep: what an answer does not promise, it does not give away. It is
 * written out as the object that somebody would write by hand, for the first answer, and costs no more than that.
 */
export function createResponseSerializer(schema: TSchema): Shape {
  let shape: Shape | undefined
  return (value) => {
    shape ??= new Function('value', `return ${shaped(schema, 'value')}`) as Shape
    return shape(value)
  }
}

function shaped(schema: TSchema, value: string): string {
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema }
  if (items) return unlessNull(value, `${value}.map((value) => ${shaped(items, 'value')})`)
  if (!properties) return value
  const fields = Object.entries(properties).map(([field, part]) => {
    const name = JSON.stringify(field)
    return `${name}: ${shaped(part, `${value}[${name}]`)}`
  })
  return unlessNull(value, `{ ${fields.join(', ')} }`)
}

function unlessNull(value: string, otherwise: string): string {
  return `(${value} == null ? ${value} : ${otherwise})`
}
