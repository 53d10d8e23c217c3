import { isDeepStrictEqual } from 'node:util'
import { exampleOf } from './example.ts'
import type { TSchema } from './schema.ts'

type Description = Record<string, unknown>

/** The named parts of an OpenAPI document. */
export class Components {
  readonly schemas: Record<string, Description> = {}
  readonly responses: Record<string, Description> = {}

  /**
   * Describes a schema. Every part that has a title becomes a component of that name, with an example, and a reference
   * stands in its place. Generators of clients would invent a name for an object without one.
   */
  schema(schema: TSchema): Description {
    const { title, ...keywords } = schema as Description & { title?: string }
    const description = Object.fromEntries(
      Object.entries(keywords).map(([keyword, value]) => [keyword, this.#keyword(keyword, value)]),
    )
    if (title === undefined) return description
    // This keyword says something about one property. The component describes all properties that have its shape.
    const { 'x-instead-of': _, ...component } = description
    return this.#add('schemas', title, { ...component, examples: [exampleOf(schema)] })
  }

  /** Adds a response under a name, and returns the reference to it. */
  response(name: string, response: Description): Description {
    return this.#add('responses', name, response)
  }

  #keyword(keyword: string, value: unknown): unknown {
    if (keyword === 'items') return this.schema(value as TSchema)
    if (keyword !== 'properties') return value
    const properties = Object.entries(value as Record<string, TSchema>)
    return Object.fromEntries(properties.map(([name, property]) => [name, this.schema(property)]))
  }

  #add(kind: 'schemas' | 'responses', name: string, component: Description): Description {
    const known = this[kind][name]
    if (known && !isDeepStrictEqual(known, component)) throw new Error(`two different ${kind} are named ${name}`)
    this[kind][name] = component
    return { $ref: `#/components/${kind}/${name}` }
  }
}

/** A component name made from another name: InvalidCredentials for `invalid_credentials`, LogIn for `logIn`. */
export function componentName(name: string): string {
  return name.replace(/(?:^|[_.-])([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

/**
 * Names of generated constants, for an enumeration that shares a value with another one: in Go, all constants of a
 * client must differ.
 */
export function constantNames(values: readonly string[], ending: string): { 'x-enum-varnames': string[] } {
  return { 'x-enum-varnames': values.map((value) => componentName(value) + ending) }
}
