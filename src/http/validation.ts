import { Ajv, type KeywordDefinition } from 'ajv'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import { fieldErrors } from './field-errors.ts'
import { Refusal, validationFailed } from './refusal.ts'
import { vocabulary } from './vocabulary.ts'

/**
 * Compiles the schemas of the operations. Bodies and queries lose the fields that no schema names; types are never
 * coerced in a body; headers are only looked at. All faults of a request are reported together.
 */
export function validateRequests(app: FastifyInstance, keywords: KeywordDefinition[]): void {
  const body = new Ajv({ ...common, removeAdditional: 'all' })
  const querystring = new Ajv({ ...common, removeAdditional: 'all', coerceTypes: true, useDefaults: true })
  const headers = new Ajv(common)
  for (const ajv of [body, querystring, headers]) {
    for (const keyword of [...vocabulary, ...keywords]) ajv.addKeyword(keyword)
  }
  const compilers = { body, querystring, headers } as Record<string, Ajv>
  const compiler: FastifySchemaCompiler<object> = ({ schema, httpPart = 'body' }) => {
    const validate = (compilers[httpPart] ?? body).compile(schema)
    return (data) =>
      validate(data) || { error: new Refusal(validationFailed, { errors: fieldErrors(validate.errors) }) }
  }
  app.setValidatorCompiler(compiler)
}

// `x-` words are our own and meant for readers of the API description too; `format` is for readers only.
const common = { allErrors: true, verbose: true, strict: false, validateFormats: false }
