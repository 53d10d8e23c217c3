import type { Ajv, KeywordDefinition, Options, ValidateFunction } from 'ajv'
import { fieldErrors } from './field-errors.ts'
import { invalid, Refusal, validationFailed } from './refusal.ts'
import type { TSchema } from './schema.ts'
import { vocabulary } from './schema-keywords.ts'

type Part = 'body' | 'query' | 'headers'

export interface Validation {
  /** The values, put into their stored form. All their faults are refused together. */
  checked<Values>(part: Part, schema: TSchema, values: Values): Promise<Values>
}

/**
 * Holds requests against the schemas of the operations. Bodies and queries lose the fields that no schema names; types
 * are never coerced in a body; headers are only looked at. Compiler and schemas are made ready by the first request
 * that needs them, so that a start waits for none.
 */
export function createValidation(keywords: KeywordDefinition[]): Validation {
  const compilers = new Map<Part, Ajv>()
  const validators = new WeakMap<TSchema, ValidateFunction>()

  async function compilerFor(part: Part): Promise<Ajv> {
    const { Ajv } = await import('ajv')
    const ajv = new Ajv({ ...COMMON, ...OPTIONS[part] })
    for (const keyword of [...vocabulary, ...keywords]) ajv.addKeyword(keyword)
    return ajv
  }

  async function compile(part: Part, schema: TSchema): Promise<ValidateFunction> {
    const compiler = compilers.get(part) ?? (await compilerFor(part))
    compilers.set(part, compiler)
    const validate = compiler.compile(schema)
    validators.set(schema, validate)
    return validate
  }

  return {
    async checked(part, schema, values) {
      const validate = validators.get(schema) ?? (await compile(part, schema))
      if (!validate(values)) throw new Refusal(validationFailed, { errors: fieldErrors(validate.errors) })
      refuseLoneSurrogates(values, [])
      return values
    },
  }
}

/**
 * RFC 8259, section 8.2: the grammar of JSON allows escapes of lone surrogates, which no Unicode text has. They cannot
 * be stored. Patterns cannot exclude them without the flag u, so this is checked of every field that an operation
 * reads.
 */
function refuseLoneSurrogates(value: unknown, path: string[]): void {
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw invalid(path.join('.'), 'Must be Unicode text, without lone surrogates')
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  for (const [name, part] of Object.entries(value)) refuseLoneSurrogates(part, [...path, name])
}

const OPTIONS: Record<Part, Options> = {
  body: { removeAdditional: 'all' },
  query: { removeAdditional: 'all', coerceTypes: true, useDefaults: true },
  headers: {},
}

// `x-` words are our own and meant for readers of the API description too; `format` is for readers only. That the
// schemas are schemas is held by the tests of the description: a start need not check it again.
const COMMON: Options = {
  allErrors: true,
  verbose: true,
  strict: false,
  validateFormats: false,
  meta: false,
  validateSchema: false,
}
