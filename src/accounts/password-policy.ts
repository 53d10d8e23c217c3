import type { KeywordDefinition, SchemaValidateFunction } from 'ajv'
import type { Config } from '../config.ts'
import { COMMON_PASSWORDS } from './common-passwords.ts'

type Policy = Config['passwordPolicy']

/** The schema word `x-new-password`: what a password must be when it is chosen. Never asked of one that is only checked. */
export function newPasswordKeyword(policy: Policy): KeywordDefinition {
  const validate: SchemaValidateFunction = (_on: true, password: string) => {
    const fault = faultOf(policy, password)
    if (fault) validate.errors = [{ keyword: 'x-new-password', message: fault, params: {} }]
    return fault === undefined
  }
  return { keyword: 'x-new-password', type: 'string', errors: 'full', validate }
}

const MOST = 128
const LEAST = { basic: 8, nist: 15 }

/** What to tell a person before they choose one. */
export function passwordHint(policy: Policy): string {
  const rule = policy === 'nist' ? 'a few words make a good one' : 'one of them an uppercase letter'
  return `At least ${LEAST[policy]} characters, ${rule}.`
}

function faultOf(policy: Policy, password: string): string | undefined {
  // Before the characters are counted: each takes at most two UTF-16 code units.
  if (password.length > 2 * MOST) return `Password must be at most ${MOST} characters`
  const length = [...password].length
  if (length < LEAST[policy]) return `Password must be at least ${LEAST[policy]} characters`
  if (length > MOST) return `Password must be at most ${MOST} characters`
  if (policy === 'nist') return isCommon(password) ? 'Password is too common, please choose another one' : undefined
  return /\p{Lu}/u.test(password) ? undefined : 'Password must contain at least one uppercase letter'
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
