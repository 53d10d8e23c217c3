import type { Config } from '../config/config.ts'
import { SAMPLE_EMAIL } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { newPasswordRules } from './password-policy.ts'
import { USERNAME } from './username.ts'

// The patterns use the subset of ECMA-262 that the regular expressions of other languages share: no flag u, no `\p{…}`,
// and no `\s`, which matches different characters elsewhere. SPACE has the characters that `String.prototype.trim`
// removes. They are escaped, because generated clients repeat the patterns and Go allows no U+FEFF in source code. A
// value is validated before it is trimmed, so the pattern of a trimmed field allows white space around it.

const SPACE = '\\t-\\r \\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000\\uFEFF'
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029'
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/** A valid e-mail address by the HTML Standard (section 4.10.5.1.5), with at least one dot in the domain. */
export const EMAIL = `^[${SPACE}]*[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL})+[${SPACE}]*$`
// No line breaks or other control characters, because these values appear in mails and on pages.
const LINE = `[^${CONTROL}${SPACE}](?:[^${CONTROL}]*[^${CONTROL}${SPACE}])?`
const ONE_LINE = {
  pattern: `^[${SPACE}]*(?:${LINE}[${SPACE}]*)?$`,
  'x-pattern-words': 'one line',
}
const ONE_LINE_NOT_BLANK = {
  pattern: `^[${SPACE}]*${LINE}[${SPACE}]*$`,
  'x-pattern-words': 'one line, not blank',
}
const NOT_BLANK = `^[${SPACE}]*[^\\x00${SPACE}][^\\x00]*$`
const TEXT = {
  pattern: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$',
  'x-pattern-words': 'no control characters but tabs and line breaks',
}
// An http or https URL. The keyword `x-http-url` validates its host.
const NOT_IN_URL = `${CONTROL}${SPACE}"<>\\\\`
const HTTP_ADDRESS = `^[${SPACE}]*[Hh][Tt][Tt][Pp][Ss]?://[^${NOT_IN_URL}/?#][^${NOT_IN_URL}]*[${SPACE}]*$`

const SAMPLE_PASSWORD = 'Correct-Horse-Battery-7'

export const Email = Type.String({
  'x-normalise': 'email',
  maxLength: 254,
  pattern: EMAIL,
  'x-message': 'Email must be a valid e-mail address',
  description: 'An e-mail address. White space around it is removed, and it is compared in lower case',
  examples: [SAMPLE_EMAIL],
})

export const Name = Type.String({
  'x-normalise': 'trim',
  minLength: 1,
  maxLength: 50,
  ...ONE_LINE_NOT_BLANK,
  examples: ['Ada'],
})

/** May be empty: an account that a sign-in provider created has no last name when the provider sent only one name. */
export const LastName = Type.String({
  'x-normalise': 'trim',
  maxLength: 50,
  ...ONE_LINE,
  description: 'Empty only where it is so already',
  examples: ['Lovelace'],
})

/** A password to verify. It is normalised to Unicode NFC, because input methods differ in how they compose letters. */
export const Password = Type.String({
  'x-normalise': 'nfc',
  minLength: 1,
  maxLength: 1024,
  format: 'password',
  examples: [SAMPLE_PASSWORD],
})

/** A new password, with the rules of the site's password policy. */
export const newPassword = (policy: Config['passwordPolicy'], example = SAMPLE_PASSWORD) =>
  Type.String({
    'x-normalise': 'nfc',
    'x-label': 'Password',
    ...newPasswordRules(policy),
    format: 'password',
    examples: [example],
  })

export const confirmationOf = (field: string, example = SAMPLE_PASSWORD) =>
  Type.String({
    'x-normalise': 'nfc',
    'x-same-as': field,
    format: 'password',
    description: `The same as ${field}`,
    examples: [example],
  })

export const Code = Type.String({
  'x-normalise': 'code',
  minLength: 1,
  maxLength: 64,
  pattern: NOT_BLANK,
  'x-pattern-words': 'not blank, no NUL character',
  description: 'From the mail: the six digits, or the token of the link',
  examples: ['493027'],
})

/** A code of the authenticator app. */
export const AppCode = Type.String({
  'x-normalise': 'code',
  minLength: 1,
  maxLength: 64,
  pattern: '^[0-9 -]+$',
  'x-pattern-words': 'digits, with spaces or hyphens between them',
  'x-message': 'Code must have the six digits that the app shows',
  description: 'The six digits that the authenticator app shows',
  examples: ['493027'],
})

export const Username = Type.String({
  minLength: 3,
  maxLength: 30,
  pattern: USERNAME,
  'x-pattern-words': 'ASCII letters, digits, `.`, `_` and `-`, with a letter or digit at both ends',
  'x-message': 'Username may have letters, digits, ".", "_" and "-", and starts and ends with a letter or digit',
  examples: ['ada.lovelace'],
})

export const HttpUrl = Type.String({
  'x-normalise': 'trim',
  maxLength: 2048,
  pattern: HTTP_ADDRESS,
  'x-pattern-words': 'an http or https URL',
  'x-http-url': true,
  examples: ['https://images.example.com/ada.png'],
})

export const line = (maxLength: number, example: string) =>
  Type.String({ 'x-normalise': 'trim', maxLength, ...ONE_LINE, examples: [example] })
export const text = (maxLength: number, example: string) => Type.String({ maxLength, ...TEXT, examples: [example] })
