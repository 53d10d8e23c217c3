import type { Ajv, KeywordDefinition, Options, ValidateFunction } from 'ajv'
import { fieldErrors } from './field-errors.ts'
import { invalid, Refusal, validationFailed } from './refusal.ts'
import type { TSchema } from './schema.ts'
import { vocabulary } from './schema-keywords.ts'

type RequestPart = 'body' | 'query' | 'headers'

export interface Validation {
  /** Returns the values, normalised for storage, or throws one refusal with all field errors. */
  validate<Values>(part: RequestPart, schema: TSchema, values: Values): Promise<Values>
}

/**
 * Validates requests against the schemas of the operations. Fields that a schema does not name are removed from bodies
 * and queries. Types are coerced in queries and not in bodies. Headers are checked and not changed. Ajv is loaded and a
 * schema compiled by the first request that needs them, so that the start does not wait for it.
 */
export function createValidation(keywords: KeywordDefinition[]): Validation {
  const compilers = new Map<RequestPart, Ajv>()
  const validators = new WeakMap<TSchema, ValidateFunction>()

  async function compilerFor(part: RequestPart): Promise<Ajv> {
    const { Ajv } = await import('ajv')
    const ajv = new Ajv({ ...COMMON, ...OPTIONS[part] })
    for (const keyword of [...vocabulary, ...keywords]) ajv.addKeyword(keyword)
    return ajv
  }

  async function compile(part: RequestPart, schema: TSchema): Promise<ValidateFunction> {
    const compiler = compilers.get(part) ?? (await compilerFor(part))
    compilers.set(part, compiler)
    const validate = compiler.compile(schema)
    validators.set(schema, validate)
    return validate
  }

  return {
    async validate(part, schema, values) {
      const validate = validators.get(schema) ?? (await compile(part, schema))
      if (!validate(values)) throw new Refusal(validationFailed, { errors: fieldErrors(validate.errors, schema) })
      refuseLoneSurrogates(values, [])
      return values
    },
  }
}

/**
 * Refuses lone surrogates, which JSON can express by escapes (RFC 8259, section 8.2). They are not Unicode text and
 * cannot be stored. A pattern without the flag u cannot exclude them, so every validated field is checked here.
 */
function refuseLoneSurrogates(value: unknown, path: string[]): void {
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw invalid(path.join('.'), 'invalid_format', 'Must be Unicode text, without lone surrogates')
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  for (const [name, part] of Object.entries(value)) refuseLoneSurrogates(part, [...path, name])
}

const OPTIONS: Record<RequestPart, Options> = {
  body: { removeAdditional: 'all' },
  query: { removeAdditional: 'all', coerceTypes: true, useDefaults: true },
  headers: {},
}

// `strict: false` allows the custom `x-` keywords. `format` is documentation only, and is not validated. Tests of the
// API description validate the schemas themselves, so Ajv does not.
const COMMON: Options = {
  allErrors: true,
  verbose: true,
  strict: false,
  validateFormats: false,
  meta: false,
  validateSchema: false,
}
