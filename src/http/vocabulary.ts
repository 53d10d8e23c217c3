import type { KeywordDefinition } from 'ajv'

const normalisers: Record<string, (text: string) => string> = {
  trim: (text) => text.trim(),
  email: (text) => text.trim().toLowerCase(),
  // Codes are read aloud, and copied, in groups.
  code: (text) => text.replace(/[\s-]/g, ''),
  nfc: (text) => text.normalize('NFC'),
}

// Composing characters takes a time that grows with the square of their number. No field is as long as this: what is
// longer is refused for its length, as it is.
const LONGEST = 4096

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
    if (at && text.length <= LONGEST) at.parentData[at.parentDataProperty] = normalisers[kind]?.(text)
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

// The URL parser forgives missing slashes, white space and control characters; what we store must need no forgiving.
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}"<>\\]+$/iu.test(text) && URL.canParse(text)
}

const dateInThePast: KeywordDefinition = {
  keyword: 'x-date-in-the-past',
  type: 'string',
  validate: (_on: true, text: string) => (instantOf(text)?.valueOf() ?? Number.POSITIVE_INFINITY) < Date.now(),
}

const ISO_DATE = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?(Z|[+-]\d\d:\d\d)?$/

/** The moment that an ISO 8601 date or datetime names, in UTC where it names no zone; undefined for what names none. */
export function instantOf(text: string): Date | undefined {
  const [, day, time = 'T00:00', zone = 'Z'] = ISO_DATE.exec(text) ?? []
  const midnight = new Date(`${day}T00:00Z`)
  const instant = new Date(`${day}${time}${zone}`)
  if (Number.isNaN(midnight.valueOf()) || Number.isNaN(instant.valueOf())) return undefined
  // The parser takes the 30th of February for the 1st of March, and a zone may lead out of the years of four digits.
  const isReal = midnight.toISOString().startsWith(`${day}T`) && ISO_DATE.test(instant.toISOString())
  return isReal ? instant : undefined
}

/** A file of a multipart body, of these types. A text in its place must never pass for one, nor for the path of one. */
const file: KeywordDefinition = {
  keyword: 'x-file',
  validate: (_types: string, value: unknown) => value instanceof Uint8Array,
}

/** The words that our schemas add to JSON Schema. */
export const vocabulary = [normalise, sameAs, httpUrl, dateInThePast, file]
