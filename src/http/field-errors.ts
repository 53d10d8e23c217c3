import type { ErrorObject } from 'ajv'
import type { FieldError } from './refusal.ts'

const MAX_ERRORS = 20

/** What is wrong with a request, a field at a time and in words for a person. */
export function fieldErrors(errors: ErrorObject[] | null | undefined): FieldError[] {
  const seen = new Map<string, FieldError>()
  for (const error of errors ?? []) {
    const found = describe(error)
    // The first fault of a field is the one to mend first.
    if (!seen.has(found.field)) seen.set(found.field, found)
  }
  return [...seen.values()].slice(0, MAX_ERRORS)
}

function describe(error: ErrorObject): FieldError {
  const path = error.instancePath.split('/').slice(1)
  if (error.keyword === 'required') path.push(error.params.missingProperty)
  const field = path.join('.') || 'body'
  return { field, message: messageOf(error, wordsOf(error)['x-label'] ?? labelOf(path)) }
}

function messageOf(error: ErrorObject, label: string): string {
  const limit = error.params.limit
  const { 'x-message': own, 'x-pattern-message': ofPattern, 'x-http-url': isUrl } = wordsOf(error)
  switch (isUrl && error.keyword === 'pattern' ? 'x-http-url' : error.keyword) {
    case 'required':
      return `${label} is required`
    case 'type':
    case 'anyOf':
      return own ?? `${label} must be ${TYPES[error.params.type] ?? 'of another type'}`
    case 'minLength':
      return limit === 1 ? `${label} is required` : `${label} must be at least ${limit} characters`
    case 'maxLength':
      return `${label} must be at most ${limit} characters`
    case 'pattern':
      return ofPattern ?? own ?? `${label} is ${isBlank(error.data) ? 'required' : 'invalid'}`
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
      return own ?? `${label} is invalid`
  }
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === ''
}

interface Words {
  'x-message'?: string
  'x-pattern-message'?: string
  'x-label'?: string
  'x-http-url'?: true
}

/** What a schema says for people about its own rules. */
function wordsOf({ parentSchema }: ErrorObject): Words {
  return (parentSchema ?? {}) as Words
}

const TYPES: Record<string, string> = {
  string: 'text',
  object: 'an object',
  array: 'a list',
  integer: 'a whole number',
}

/** "location.zipCode" reads as "Zip code". */
export function labelOf(path: string[]): string {
  const name = path.findLast((part) => !/^\d+$/.test(part)) ?? 'request body'
  const words = name.replace(/([A-Z])/g, ' $1').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
