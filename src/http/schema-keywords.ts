import type { KeywordDefinition } from 'ajv'

const normalisers: Record<string, (text: string) => string> = {
  trim: (text) => text.trim(),
  email: (text) => text.trim().toLowerCase(),
  // People read and copy codes in groups, with spaces or hyphens.
  code: (text) => text.replace(/[\s-]/g, ''),
  nfc: (text) => (LONG_MARK_RUN.test(text) ? text : text.normalize('NFC')),
}

// Normalisation sorts each run of combining marks, in time quadratic in its length. The Stream-Safe Text Format
// (Unicode Standard Annex #15, section 13) has at most 30 successive marks. A text with a longer run is not normalised.
const LONG_MARK_RUN = /\p{M}{31}/u

// Every field with this keyword has a smaller `maxLength`, so validation refuses a longer text anyway. Such a text is
// not normalised, to bound the processor time.
const MAX_NORMALISED_CHARACTERS = 4096

/**
 * Normalises a text for storage. Ajv checks the standard keywords before this one, on the text as it was sent, so a
 * client can make the same checks from the API description. The custom keywords below see the normalised text.
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

/** Requires the same text as another field of the object, for the confirmation of a password. */
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

// The URL parser converts a host name to Punycode in time quadratic in its length, so the length is checked first. A
// host name has at most 253 characters (RFC 1035, section 2.3.4); the rest is room for user information and a port.
const MAX_URL_CHARACTERS = 2048
const MAX_AUTHORITY_CHARACTERS = 300
// The URL parser also accepts missing slashes, white space and control characters. A stored URL must not have these.
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

/** Parses an ISO 8601 date or datetime, as UTC if it has no zone. Undefined for an invalid one. */
export function instantOf(text: string): Date | undefined {
  const [, day, time = 'T00:00', zone = 'Z'] = isoDate.exec(text) ?? []
  const midnight = new Date(`${day}T00:00Z`)
  const instant = new Date(`${day}${time}${zone}`)
  if (Number.isNaN(midnight.valueOf()) || Number.isNaN(instant.valueOf())) return undefined
  // `Date` accepts 30 February as 1 March, and a zone offset may lead to a year of more than four digits.
  const isReal = midnight.toISOString().startsWith(`${day}T`) && isoDate.test(instant.toISOString())
  return isReal ? instant : undefined
}

/**
 * Requires an uploaded file, of these media types. A text field is refused, so it cannot pass for a file or its path.
 */
const file: KeywordDefinition = {
  keyword: 'x-file',
  validate: (_types: string, value: unknown) => value instanceof Uint8Array,
}

/** The keywords that the schemas of this service add to JSON Schema. */
export const vocabulary = [normalise, sameAs, httpUrl, dateInThePast, file]
