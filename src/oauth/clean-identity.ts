import { EMAIL } from '../accounts/fields.ts'
import { isHttpUrl } from '../http/vocabulary.ts'
import type { Identity } from './identity.ts'

/** A provider's words are input like any other: what an account may not hold is left out or mended. */
export function cleanIdentity(identity: Identity): Identity {
  const email = identity.verifiedEmail?.trim().toLowerCase() ?? ''
  const verifiedEmail = email.length <= 254 && new RegExp(EMAIL).test(email) ? email : undefined
  const { avatar = '' } = identity
  return {
    ...identity,
    verifiedEmail,
    firstName: oneLine(identity.firstName, 50) || (verifiedEmail?.split('@')[0] ?? '').slice(0, 50),
    lastName: oneLine(identity.lastName, 50),
    username: identity.username && oneLine(identity.username, 100),
    avatar: avatar.length <= 2048 && isHttpUrl(avatar) ? avatar : undefined,
  }
}

function oneLine(text: string, most: number): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .toWellFormed()
    .trim()
    .slice(0, most)
    .trim()
}
