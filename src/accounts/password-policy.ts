import type { KeywordDefinition } from 'ajv'
import type { Config } from '../config/config.ts'
import { COMMON_PASSWORDS } from './common-passwords.ts'
import { UPPERCASE_LETTER } from './uppercase-letter.ts'

type Policy = Config['passwordPolicy']

const MAX_CHARACTERS = 128
const MIN_CHARACTERS = { basic: 8, nist: 15 }

/** Schema keywords for a new password. They do not apply to a password that is only verified. */
export function newPasswordRules(policy: Policy) {
  const length = { minLength: MIN_CHARACTERS[policy], maxLength: MAX_CHARACTERS }
  return policy === 'nist'
    ? { ...length, 'x-uncommon': true, description: 'Not one of the passwords that many people choose' }
    : {
        ...length,
        pattern: UPPERCASE_LETTER,
        'x-pattern-message': 'Password must contain at least one uppercase letter',
        description: 'With at least one uppercase letter',
      }
}

/**
 * A rule for people, and its form for the script that marks rules as met: a number of characters, or an uppercase
 * letter.
 */
export interface PasswordRule {
  text: string
  check: number | 'uppercase'
}

/** The rules next to the field of a new password. */
export function passwordRules(policy: Policy): PasswordRule[] {
  const check = MIN_CHARACTERS[policy]
  const text = `At least ${check} characters`
  return policy === 'nist'
    ? [{ text: `${text}: a few words make a good one`, check }]
    : [
        { text, check },
        { text: 'One of them an uppercase letter', check: 'uppercase' },
      ]
}

/** The schema keyword `x-uncommon`, which refuses common passwords. `maxLength` already refuses very long ones. */
export const uncommonKeyword: KeywordDefinition = {
  keyword: 'x-uncommon',
  type: 'string',
  validate: (_enabled: true, password: string) => password.length > 2 * MAX_CHARACTERS || !isCommon(password),
}

/** Whether a password is on the list, or repeats a sequence of one to five characters. */
function isCommon(password: string): boolean {
  const lower = password.toLowerCase()
  return COMMON_PASSWORDS.has(lower) || [1, 2, 3, 4, 5].some((length) => isRepeated([...lower], length))
}

/** Whether the text repeats its first `length` characters and ends with at most four other characters. */
function isRepeated(characters: string[], length: number): boolean {
  let end = length
  while (end < characters.length && characters[end] === characters[end - length]) end++
  const repetitions = Math.floor(end / length)
  return repetitions > 1 && characters.length - repetitions * length <= 4
}
