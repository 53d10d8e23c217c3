import type { Operation, Schema } from './operations.ts'
import { rulesInWords, typeInWords } from './rules.ts'

/** A field of a table: a parameter, or a property at any depth of a body. */
export interface Field {
  /** The path of the object that has it, such as `sessions[].`, or empty. */
  within: string
  name: string
  type: string
  isRequired: boolean
  rules: string[]
  description: string
}

/** All properties of an object, each followed by its own properties. */
export function fieldsOf({ properties = {}, required = [] }: Schema = {}, within = ''): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    fieldOf(schema, name, required.includes(name), within),
    ...fieldsOf(schema.items ?? schema, `${within}${name}${schema.items ? '[]' : ''}.`),
  ])
}

/** The parameters in the query and the headers. */
export function parametersOf({ parameters = [] }: Operation): Field[] {
  return parameters.map(({ name, in: place, required, schema }) => {
    const field = fieldOf(schema, name, required)
    return { ...field, rules: [place === 'header' ? 'a header' : 'in the query', ...field.rules] }
  })
}

function fieldOf(schema: Schema, name: string, isRequired: boolean, within = ''): Field {
  return {
    within,
    name,
    type: typeInWords(schema),
    isRequired,
    rules: rulesInWords(schema),
    description: schema.description ?? '',
  }
}
