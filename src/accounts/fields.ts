import { Type } from '../http/schema.ts'
import { USERNAME } from './username.ts'

// The HTML standard's e-mail address, with a dot in the domain: what mail servers really take.
export const EMAIL =
  "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$"
// Neither line breaks nor other control characters: these texts go into mails and onto pages.
const ONE_LINE = '^[^\\p{Cc}\\u2028\\u2029]*$'
const TEXT = '^[^\\p{Cc}]*(?:[\\t\\r\\n][^\\p{Cc}]*)*$'

export const Email = Type.String({
  'x-normalise': 'email',
  maxLength: 254,
  pattern: EMAIL,
  format: 'email',
  'x-message': 'Email must be a valid e-mail address',
  description: 'Compared in lower case',
})

export const Name = Type.String({ 'x-normalise': 'trim', minLength: 1, maxLength: 50, pattern: ONE_LINE })

/** Some people have one name: an account that a provider made may have none. */
export const LastName = Type.String({ ...Name, minLength: 0, description: 'Empty only where it is so already' })

/** A password as it was chosen: only its Unicode form is settled, so that every keyboard spells it alike. */
export const Password = Type.String({
  'x-normalise': 'nfc',
  minLength: 1,
  maxLength: 1024,
  format: 'password',
})

export const NewPassword = Type.String({
  'x-normalise': 'nfc',
  'x-new-password': true,
  format: 'password',
  description: '8 to 128 characters with an uppercase letter, unless the site asks for 15 and no more rules',
})

export const confirmationOf = (field: string) =>
  Type.String({
    'x-normalise': 'nfc',
    'x-same-as': field,
    format: 'password',
    description: `The same as ${field}`,
  })

export const Code = Type.String({
  'x-normalise': 'code',
  minLength: 1,
  maxLength: 64,
  description: 'From the mail: the six digits, or the token of the link',
})

export const Username = Type.String({
  minLength: 3,
  maxLength: 30,
  pattern: USERNAME,
  'x-message': 'Username may have letters, digits, ".", "_" and "-", and starts and ends with a letter or digit',
})

export const HttpUrl = Type.String({
  'x-normalise': 'trim',
  maxLength: 2048,
  'x-http-url': true,
  format: 'uri',
})

export const line = (maxLength: number) => Type.String({ 'x-normalise': 'trim', maxLength, pattern: ONE_LINE })
export const text = (maxLength: number) => Type.String({ maxLength, pattern: TEXT })
