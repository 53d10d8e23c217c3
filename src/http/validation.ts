import { Ajv, type KeywordDefinition, type ValidateFunction } from 'ajv'
import fastJson from 'fast-json-stringify'
import { fieldErrors } from './field-errors.ts'
import { Refusal, validationFailed } from './refusal.ts'
import type { TSchema } from './schema.ts'
import { vocabulary } from './vocabulary.ts'

type Part = 'body' | 'query' | 'headers'

export interface Validation {
  /** The values, put into their stored form. All their faults are refused together. */
  checked<Values>(part: Part, schema: TSchema, values: Values): Values
}

/**
 * Holds requests against the schemas of the operations. Bodies and queries lose the fields that no schema names; types
 * are never coerced in a body; headers are only looked at. A schema is compiled for the first request that needs it, so
 * that a start does not wait for all of them.
 */
export function createValidation(keywords: KeywordDefinition[]): Validation {
  const compilers: Record<Part, Ajv> = {
    body: new Ajv({ ...common, removeAdditional: 'all' }),
    query: new Ajv({ ...common, removeAdditional: 'all', coerceTypes: true, useDefaults: true }),
    headers: new Ajv(common),
  }
  for (const ajv of Object.values(compilers)) {
    for (const keyword of [...vocabulary, ...keywords]) ajv.addKeyword(keyword)
  }
  const compiled = new WeakMap<TSchema, ValidateFunction>()

  return {
    checked(part, schema, values) {
      const validate = compiled.get(schema) ?? compilers[part].compile(schema)
      compiled.set(schema, validate)
      if (!validate(values)) throw new Refusal(validationFailed, { errors: fieldErrors(validate.errors) })
      return values
    },
  }
}

/** Answers lose the fields that no schema names, too. Compiled for the first answer. */
export function serializerOf(schema: TSchema): (value: unknown) => string {
  let serialize: ((value: unknown) => string) | undefined
  return (value) => {
    serialize ??= fastJson(schema as object)
    return serialize(value)
  }
}

// `x-` words are our own and meant for readers of the API description too; `format` is for readers only. That the
// schemas are schemas is held by the tests of the description: a start need not check it again.
const common = {
  allErrors: true,
  verbose: true,
  strict: false,
  validateFormats: false,
  meta: false,
  validateSchema: false,
}
