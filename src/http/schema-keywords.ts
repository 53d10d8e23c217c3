import type { KeywordDefinition } from 'ajv'

const normalisers: Record<string, (text: string) => string> = {
  trim: (text) => text.trim(),
  email: (text) => text.trim().toLowerCase(),
  // Codes are read aloud, and copied, in groups.
  code: (text) => text.replace(/[\s-]/g, ''),
  nfc: (text) => (UNSAFE_RUN.test(text) ? text : text.normalize('NFC')),
}

// Ordering a run of combining marks takes time quadratic in its length. No language has a run of more than 30: that is
// the limit of the Stream-Safe Text Format (Unicode Standard Annex #15). A text with a longer run is kept as it was
// sent.
const UNSAFE_RUN = /\p{M}{31}/u

// No field is as long as this: a longer text is refused for its length, as it was sent.
const MAX_NORMALISED_CHARACTERS = 4096

/**
 * Puts a text into its stored form. The rules of JSON Schema are checked before this, on the text as it was sent: a
 * client that reads the API description can check the same. Our own words below see the stored form.
 */
const normalise: KeywordDefinition = {
  keyword: 'x-normalise',
  type: 'string',
  modifying: true,
  errors: false,
  validate(
    kind: string,
    text: string,
    _parent: unknown,
    at?: { parentData: Record<string, unknown>; parentDataProperty: string | number },
  ) {
    if (at && text.length <= MAX_NORMALISED_CHARACTERS) at.parentData[at.parentDataProperty] = normalisers[kind]?.(text)
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

// A host name has at most 253 characters (RFC 1035, section 2.3.4); user information and a port may stand beside it.
// The URL parser converts a host name to Punycode in time quadratic in its length, so the length is checked first.
const MAX_URL_CHARACTERS = 2048
const MAX_AUTHORITY_CHARACTERS = 300
// The URL parser accepts missing slashes, white space and control characters. Stored addresses must not depend on that.
const HTTP_URL = /^https?:\/\/([^\s\p{Cc}"<>\\/?#]+)(?:[/?#][^\s\p{Cc}"<>\\]*)?$/iu

export function isHttpUrl(text: string): boolean {
  if (text.length > MAX_URL_CHARACTERS) return false
  const [, authority] = HTTP_URL.exec(text) ?? []
  return authority !== undefined && authority.length <= MAX_AUTHORITY_CHARACTERS && URL.canParse(text)
}

const dateInThePast: KeywordDefinition = {
  keyword: 'x-date-in-the-past',
  type: 'string',
  validate: (_on: true, text: string) => (instantOf(text)?.valueOf() ?? Number.POSITIVE_INFINITY) < Date.now(),
}

/** An ISO 8601 date or datetime. */
export const ISO_DATE =
  '^([0-9]{4}-[0-9]{2}-[0-9]{2})(T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]{1,9})?)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$'
const isoDate = new RegExp(ISO_DATE)

/** The moment that an ISO 8601 date or datetime names, in UTC where it names no zone; undefined for what names none. */
export function instantOf(text: string): Date | undefined {
  const [, day, time = 'T00:00', zone = 'Z'] = isoDate.exec(text) ?? []
  const midnight = new Date(`${day}T00:00Z`)
  const instant = new Date(`${day}${time}${zone}`)
  if (Number.isNaN(midnight.valueOf()) || Number.isNaN(instant.valueOf())) return undefined
  // The parser takes the 30th of February for the 1st of March, and a zone may lead out of the years of four digits.
  const isReal = midnight.toISOString().startsWith(`${day}T`) && isoDate.test(instant.toISOString())
  return isReal ? instant : undefined
}

/** A file of a multipart body, of these types. A text in its place must never pass for one, nor for the path of one. */
const file: KeywordDefinition = {
  keyword: 'x-file',
  validate: (_types: string, value: unknown) => value instanceof Uint8Array,
}

/** The words that our schemas add to JSON Schema. */
export const vocabulary = [normalise, sameAs, httpUrl, dateInThePast, file]
