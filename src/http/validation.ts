import { Ajv, type KeywordDefinition } from 'ajv'
import fastJson from 'fast-json-stringify'
import type { FastifySchemaCompiler, FastifySerializerCompiler, FastifyServerOptions } from 'fastify'
import { fieldErrors } from './field-errors.ts'
import { Refusal, validationFailed } from './refusal.ts'
import { vocabulary } from './vocabulary.ts'

type Compilers = NonNullable<FastifyServerOptions['schemaController']>

/**
 * Compiles the schemas of the operations. Bodies and queries lose the fields that no schema names; types are never
 * coerced in a body; headers are only looked at. All faults of a request are reported together. Answers lose the fields
 * that no schema names, too. A schema is compiled for the first request that needs it, so that
 * a start does not wait for all of them.
 */
export function schemaCompilers(keywords: KeywordDefinition[]): Compilers {
  const body = new Ajv({ ...common, removeAdditional: 'all' })
  const querystring = new Ajv({ ...common, removeAdditional: 'all', coerceTypes: true, useDefaults: true })
  const headers = new Ajv(common)
  for (const ajv of [body, querystring, headers]) {
    for (const keyword of [...vocabulary, ...keywords]) ajv.addKeyword(keyword)
  }
  const compilers = { body, querystring, headers } as Record<string, Ajv>

  const validator: FastifySchemaCompiler<object> = ({ schema, httpPart = 'body' }) => {
    const compiled = once(() => (compilers[httpPart] ?? body).compile(schema))
    return (data) => {
      const validate = compiled()
      return validate(data) || { error: new Refusal(validationFailed, { errors: fieldErrors(validate.errors) }) }
    }
  }
  const serializer: FastifySerializerCompiler<object> = ({ schema }) => {
    const compiled = once(() => fastJson(schema))
    return (data) => compiled()(data)
  }
  // The framework's types know its own factories only.
  const compilersFactory: unknown = { buildValidator: () => validator, buildSerializer: () => serializer }
  return { compilersFactory } as Compilers
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
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
