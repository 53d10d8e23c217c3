import type TypeBox from 'typebox'
import type { Static, TSchema } from 'typebox'

export type { Static, TObject, TSchema } from 'typebox'

type Builders = 'Array' | 'Boolean' | 'Enum' | 'Integer' | 'Object' | 'String' | 'Unsafe'
type Modifiers = 'Optional' | 'Partial' | 'Pick'
type Schema = Record<string, unknown>
type Properties = Record<string, Schema>

/**
 * Builders of JSON Schemas with the types of TypeBox, from which TypeScript infers the types of the values. They return
 * the same schemas as TypeBox, without loading its four hundred files at start.
 */
export const Type = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Enum: (values: string[], options?: Schema) => ({ enum: values, ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Object: object,
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
  Optional: optional,
  Partial: ({ properties }: { properties: Properties }, options?: Schema) =>
    object(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optional(schema)])), options),
  Pick: ({ properties }: { properties: Properties }, names: string[], options?: Schema) =>
    object(Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name))), options),
} as unknown as Pick<typeof TypeBox, Builders | Modifiers>

/** A schema that also allows null. */
export function nullable<T extends TSchema>(schema: T) {
  const { type } = schema as unknown as { type: string }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] })
}

/** A schema for one of these strings. */
export function oneOf<const Values extends readonly string[]>(values: Values, options?: Schema) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...options })
}

/** The schemas that `optional` has returned. `object` leaves them out of `required`. */
const optionals = new WeakSet<Schema>()

function object(properties: Properties, options?: Schema): Schema {
  const required = Object.entries(properties).flatMap(([name, schema]) => (optionals.has(schema) ? [] : name))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

function optional(schema: Schema): Schema {
  const copy = { ...schema }
  optionals.add(copy)
  return copy
}
