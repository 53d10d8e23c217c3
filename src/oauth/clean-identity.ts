import { EMAIL } from '../accounts/fields.ts'
import { nameFromEmail } from '../accounts/new-user.ts'
import { isHttpUrl } from '../http/schema-keywords.ts'
import type { Identity } from './identity.ts'

/** A provider's words are input like any other: what an account may not hold is left out or mended. */
export function cleanIdentity(identity: Identity): Identity {
  const verifiedEmail = cleanEmail(identity.verifiedEmail ?? '')
  const { avatar = '' } = identity
  return {
    ...identity,
    verifiedEmail,
    firstName: oneLine(identity.firstName, 50) || nameFromEmail(verifiedEmail ?? ''),
    lastName: oneLine(identity.lastName, 50),
    username: oneLine(identity.username ?? '', 100) || undefined,
    avatar: avatar.length <= 2048 && isHttpUrl(avatar) ? avatar : undefined,
  }
}

/** Looked at before it is put in lower case: some letters of other scripts become Latin ones there. */
function cleanEmail(said: string): string | undefined {
  const email = said.trim()
  return email.length <= 254 && new RegExp(EMAIL).test(email) ? email.toLowerCase() : undefined
}

function oneLine(text: string, most: number): string {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .trim()
  return [...clean].slice(0, most).join('').trim()
}
