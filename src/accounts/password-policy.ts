import type { KeywordDefinition } from 'ajv'
import type { Config } from '../config/config.ts'
import { COMMON_PASSWORDS } from './common-passwords.ts'
import { UPPERCASE_LETTER } from './uppercase-letter.ts'

type Policy = Config['passwordPolicy']

const MAX_CHARACTERS = 128
const LEAST_CHARACTERS = { basic: 8, nist: 15 }

/** What a password must be when it is chosen, as words of a schema. Never asked of one that is only checked. */
export function newPasswordRules(policy: Policy) {
  const length = { minLength: LEAST_CHARACTERS[policy], maxLength: MAX_CHARACTERS }
  return policy === 'nist'
    ? { ...length, 'x-uncommon': true, description: 'Not one of the passwords that many people choose' }
    : {
        ...length,
        pattern: UPPERCASE_LETTER,
        'x-pattern-message': 'Password must contain at least one uppercase letter',
        description: 'With at least one uppercase letter',
      }
}

/** What to tell a person before they choose one. */
export function passwordHint(policy: Policy): string {
  const rule = policy === 'nist' ? 'a few words make a good one' : 'one of them an uppercase letter'
  return `At least ${LEAST_CHARACTERS[policy]} characters, ${rule}.`
}

/** The schema word `x-uncommon`: refuses a password of the shipped list, and a short piece that is repeated. */
export const uncommonKeyword: KeywordDefinition = {
  keyword: 'x-uncommon',
  type: 'string',
  validate: (_on: true, password: string) => password.length > 2 * MAX_CHARACTERS || !isCommon(password),
}

/** On the list, or a short piece said over and over. */
function isCommon(password: string): boolean {
  const lower = password.toLowerCase()
  return COMMON_PASSWORDS.has(lower) || [1, 2, 3, 4, 5].some((length) => isRepeated([...lower], length))
}

/** Whether a piece of this length is repeated from the start on, with at most four other characters behind. */
function isRepeated(characters: string[], length: number): boolean {
  let end = length
  while (end < characters.length && characters[end] === characters[end - length]) end++
  const times = Math.floor(end / length)
  return times > 1 && characters.length - times * length <= 4
}
