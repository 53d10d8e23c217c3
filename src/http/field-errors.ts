import type { ErrorObject } from 'ajv'
import type { FieldError } from './refusal.ts'

const MOST_ERRORS = 20

/** What is wrong with a request, a field at a time and in words for a person. */
export function fieldErrors(errors: ErrorObject[] | null | undefined): FieldError[] {
  const seen = new Map<string, FieldError>()
  for (const error of errors ?? []) {
    const found = describe(error)
    // The first fault of a field is the one to mend first.
    if (!seen.has(found.field)) seen.set(found.field, found)
  }
  return [...seen.values()].slice(0, MOST_ERRORS)
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
    case 'x-file':
      return `${label} must be sent as a file`
    case 'x-http-url':
      return `${label} must be an http or https URL`
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
