import { Ajv, type ErrorObject, type KeywordDefinition } from 'ajv'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import { type FieldError, Refusal, validationFailed } from './refusal.ts'

const MOST_ERRORS = 20

/**
 * Compiles the schemas of the operations. Bodies and queries lose the fields that no schema names; types are never
 * coerced in a body; headers are only looked at. All faults of a request are reported together.
 */
export function validateRequests(app: FastifyInstance, keywords: KeywordDefinition[]): void {
  const body = new Ajv({ ...common, removeAdditional: 'all' })
  const querystring = new Ajv({ ...common, removeAdditional: 'all', coerceTypes: true, useDefaults: true })
  const headers = new Ajv(common)
  for (const ajv of [body, querystring, headers]) {
    for (const keyword of [normalise, sameAs, httpUrl, dateInThePast, ...keywords]) ajv.addKeyword(keyword)
  }
  const compilers = { body, querystring, headers } as Record<string, Ajv>
  const compiler: FastifySchemaCompiler<object> = ({ schema, httpPart = 'body' }) => {
    const validate = (compilers[httpPart] ?? body).compile(schema)
    return (data) => validate(data) || { error: refuse(validate.errors ?? []) }
  }
  app.setValidatorCompiler(compiler)
}

// `x-` words are our own and meant for readers of the API description too; `format` is for readers only.
const common = { allErrors: true, verbose: true, strict: false, validateFormats: false }

const normalisers: Record<string, (text: string) => string> = {
  trim: (text) => text.trim(),
  email: (text) => text.trim().toLowerCase(),
  nfc: (text) => text.normalize('NFC'),
}

/** Puts a text into its stored form before the other rules look at it. */
const normalise: KeywordDefinition = {
  keyword: 'x-normalise',
  type: 'string',
  before: 'maxLength',
  modifying: true,
  errors: false,
  validate(
    kind: string,
    text: string,
    _parent: unknown,
    at?: { parentData: Record<string, unknown>; parentDataProperty: string | number },
  ) {
    if (at) at.parentData[at.parentDataProperty] = normalisers[kind]?.(text)
    return true
  },
}

/** The field repeats another field of the same object, as a confirmation does. */
const sameAs: KeywordDefinition = {
  keyword: 'x-same-as',
  type: 'string',
  validate: (other: string, text: string, _parent: unknown, at?: { parentData: Record<string, unknown> }) =>
    at?.parentData[other] === text,
}

const httpUrl: KeywordDefinition = {
  keyword: 'x-http-url',
  type: 'string',
  validate: (_on: true, text: string) => isHttpUrl(text),
}

// The URL parser forgives white space and control characters inside a URL; what we store must not contain them.
export function isHttpUrl(text: string): boolean {
  const url = /[\s\p{Cc}"<>\\]/u.test(text) ? null : URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname !== ''
}

const dateInThePast: KeywordDefinition = {
  keyword: 'x-date-in-the-past',
  type: 'string',
  validate: (_on: true, text: string) => ISO_DATE.test(text) && isRealDate(text) && Date.parse(text) < Date.now(),
}

const ISO_DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/

// Date.parse takes the 30th of February for the 1st of March.
function isRealDate(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return (
    !Number.isNaN(Date.parse(text)) && !Number.isNaN(day.valueOf()) && day.toISOString().startsWith(text.slice(0, 10))
  )
}

function refuse(errors: ErrorObject[]): Refusal {
  const seen = new Map<string, FieldError>()
  for (const error of errors) {
    const found = describe(error)
    // The first fault of a field is the one to mend first.
    if (!seen.has(found.field)) seen.set(found.field, found)
  }
  return new Refusal(validationFailed, { errors: [...seen.values()].slice(0, MOST_ERRORS) })
}

function describe(error: ErrorObject): FieldError {
  const path = error.instancePath.split('/').slice(1)
  if (error.keyword === 'required') path.push(error.params.missingProperty)
  const field = path.join('.') || 'body'
  return { field, message: messageOf(error, labelOf(path)) }
}

function messageOf(error: ErrorObject, label: string): string {
  const limit = error.params.limit
  const own = (error.parentSchema as Record<string, unknown> | undefined)?.['x-message']
  if (error.message && OWN_WORDS.has(error.keyword)) return error.message
  switch (error.keyword) {
    case 'required':
      return `${label} is required`
    case 'type':
    case 'anyOf':
      return typeof own === 'string' ? own : `${label} must be ${TYPES[error.params.type] ?? 'of another type'}`
    case 'minLength':
      return limit === 1 ? `${label} is required` : `${label} must be at least ${limit} characters`
    case 'maxLength':
      return `${label} must be at most ${limit} characters`
    case 'maxItems':
      return `${label} must have at most ${limit} entries`
    case 'x-same-as':
      return 'Passwords do not match'
    case 'x-http-url':
      return `${label} must be an http or https URL`
    case 'x-date-in-the-past':
      return `${label} must be a date in the past, such as 1990-12-31`
    default:
      return typeof own === 'string' ? own : `${label} is invalid`
  }
}

const OWN_WORDS = new Set(['x-new-password'])

const TYPES: Record<string, string> = {
  string: 'text',
  object: 'an object',
  array: 'a list',
  integer: 'a whole number',
}

/** "location.zipCode" reads as "Zip code". */
function labelOf(path: string[]): string {
  const name = path.findLast((part) => !/^\d+$/.test(part)) ?? 'request body'
  const words = name.replace(/([A-Z])/g, ' $1').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
