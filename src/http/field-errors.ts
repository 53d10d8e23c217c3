import type { ErrorObject } from 'ajv'
import type { FieldErrorCode } from './field-error-codes.ts'
import type { FieldError } from './refusal.ts'
import type { TObject, TSchema } from './schema.ts'

const MAX_ERRORS = 20

/**
 * Translates the errors of Ajv into codes for programs and messages for people: one for each field, and at most
 * MAX_ERRORS, in the order of the fields in the schema. Ajv reports all missing fields before the invalid ones.
 */
export function fieldErrors(errors: ErrorObject[] | null | undefined, schema: TSchema): FieldError[] {
  const byField = new Map<string, FieldError>()
  for (const error of errors ?? []) {
    const fieldError = describe(error)
    // Only the first error of a field is reported.
    if (!byField.has(fieldError.field)) byField.set(fieldError.field, fieldError)
  }
  const names = Object.keys((schema as Partial<TObject>).properties ?? {})
  const placeOf = ({ field }: FieldError) => names.indexOf(field.split('.')[0] as string)
  return [...byField.values()].sort((one, other) => placeOf(one) - placeOf(other)).slice(0, MAX_ERRORS)
}

function describe(error: ErrorObject): FieldError {
  const path = error.instancePath.split('/').slice(1)
  if (error.keyword === 'required') path.push(error.params.missingProperty)
  const field = path.join('.') || 'body'
  return { field, code: codeOf(error), message: messageOf(error, annotationsOf(error)['x-label'] ?? labelOf(path)) }
}

const CODES: Record<string, FieldErrorCode> = {
  required: 'required',
  type: 'invalid_type',
  anyOf: 'invalid_type',
  'x-file': 'invalid_type',
  minLength: 'too_short',
  maxLength: 'too_long',
  maxItems: 'too_many',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  'x-date-in-the-past': 'out_of_range',
  enum: 'not_allowed',
  'x-uncommon': 'too_common',
  'x-same-as': 'mismatch',
}

function codeOf({ keyword, params, data }: ErrorObject): FieldErrorCode {
  const isEmpty = keyword === 'minLength' && params.limit === 1
  if (isEmpty || (keyword === 'pattern' && isBlank(data))) return 'required'
  return CODES[keyword] ?? 'invalid_format'
}

function messageOf(error: ErrorObject, label: string): string {
  const limit = error.params.limit
  const { 'x-message': message, 'x-pattern-message': patternMessage, 'x-http-url': isUrl } = annotationsOf(error)
  switch (isUrl && error.keyword === 'pattern' ? 'x-http-url' : error.keyword) {
    case 'required':
      return `${label} is required`
    case 'type':
    case 'anyOf':
      return message ?? `${label} must be ${TYPE_NAMES[error.params.type] ?? 'of another type'}`
    case 'minLength':
      return limit === 1 ? `${label} is required` : `${label} must be at least ${limit} characters`
    case 'maxLength':
      return `${label} must be at most ${limit} characters`
    case 'pattern':
      return patternMessage ?? message ?? `${label} is ${isBlank(error.data) ? 'required' : 'invalid'}`
    case 'x-uncommon':
      return 'Password is too common, please choose another one'
    case 'maxItems':
      return `${label} must have at most ${limit} entries`
    case 'x-same-as':
      return 'Passwords do not match'
    case 'x-file':
      return `${label} must be sent as a file`
    case 'x-http-url':
      return `${label} must be an http or https URL`
    default:
      return message ?? `${label} is invalid`
  }
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === ''
}

interface Annotations {
  'x-message'?: string
  'x-pattern-message'?: string
  'x-label'?: string
  'x-http-url'?: true
}

/** The label and messages that the schema of a field declares. */
function annotationsOf({ parentSchema }: ErrorObject): Annotations {
  return (parentSchema ?? {}) as Annotations
}

const TYPE_NAMES: Record<string, string> = {
  string: 'text',
  object: 'an object',
  array: 'a list',
  integer: 'a whole number',
}

/** The label of a field in messages, such as "Zip code" for the path `location.zipCode`. */
export function labelOf(path: string[]): string {
  const name = path.findLast((part) => !/^\d+$/.test(part)) ?? 'request body'
  const words = name
    .replace(/([A-Z])/g, ' $1')
    .toLowerCase()
    .replace(/\burl$/, 'URL')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
